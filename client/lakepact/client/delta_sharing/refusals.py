"""How this contract says no: its error body, and what each refusal means to a caller."""

from __future__ import annotations

import json
from typing import Any, cast

from lakepact.client import errors
from lakepact.client.refusals import ErrorBody, Refusals
from lakepact.generated.delta_sharing.versions.v2026_08.errors import ERRORS
from lakepact.generated.delta_sharing.versions.v2026_08.operations import OPERATIONS

#: The missing object when an operation returns 404: the last one in its path.
_MISSING: dict[str, type[errors.LakepactError]] = {
    "getShare": errors.NoSuchShare,
    "listSchemas": errors.NoSuchShare,
    "listAllTables": errors.NoSuchShare,
    "listTables": errors.NoSuchSchema,
}


def _grievance(content: bytes) -> ErrorBody | None:
    """Return the error in `content`: `{"errorCode": …, "message": …}`; many servers leave out the code."""
    try:
        document: Any = json.loads(content)
    except (ValueError, RecursionError):
        return None
    members = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
    message, code = members.get("message"), members.get("errorCode")
    return ErrorBody(message, code if isinstance(code, str) else None) if isinstance(message, str) else None


REFUSALS = Refusals(
    named=ERRORS,
    kinds={},
    read=_grievance,
    places={(operation, 404): _MISSING.get(operation, errors.NoSuchTable) for operation in OPERATIONS if operation != "listShares"},
    reads=frozenset(OPERATIONS),
)
