"""Errors of Delta Sharing: the error body, and the exception for each error."""

from __future__ import annotations

from lakepact.client import errors
from lakepact.client.refusals import ErrorBody, Refusals, error_body, members
from lakepact.generated.delta_sharing import op

#: The missing object when an operation returns 404: the last one in its path.
_MISSING: dict[str, type[errors.LakepactError]] = {
    "getShare": errors.NoSuchShare,
    "listSchemas": errors.NoSuchShare,
    "listAllTables": errors.NoSuchShare,
    "listTables": errors.NoSuchSchema,
}


def _error_body(content: bytes) -> ErrorBody | None:
    """Return the error in `content`: `{"errorCode": …, "message": …}`; many servers leave out the
    code.
    """
    return error_body(members(content), "errorCode")


REFUSALS = Refusals(
    declared_kinds=dict,
    kinds={},
    read=_error_body,
    places={
        (operation, 404): _MISSING.get(operation, errors.NoSuchTable)
        for operation in op.ALL - {op.list_shares}
    },
    reads=op.ALL,
)
