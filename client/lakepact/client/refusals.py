"""Which error a reply becomes: by operation, status and error type, then by status alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from lakepact.client import errors
from lakepact.client.errors import LakepactError, OutcomeUnknown

_BY_STATUS: dict[int, type[LakepactError]] = {
    400: errors.BadRequest,
    401: errors.NotAuthenticated,
    403: errors.Forbidden,
    404: errors.NotFound,
    405: errors.OperationNotSupported,
    406: errors.OperationNotSupported,
    409: errors.Conflict,
    413: errors.BadRequest,
    414: errors.BadRequest,
    415: errors.BadRequest,
    419: errors.NotAuthenticated,
    422: errors.BadRequest,
    429: errors.Throttled,
    431: errors.BadRequest,
    501: errors.OperationNotSupported,
}


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The error body of the contract."""

    message: str
    type: str | None


def members(value: Any) -> dict[str, Any]:
    """Return the members of a JSON object, or of its text; none for anything else."""
    if isinstance(value, bytes):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def error_body(body: Mapping[str, Any], kind: str) -> ErrorBody | None:
    """Return the error that an object describes, with the member `kind` as its type; None if it has
    no message.
    """
    message, type_ = body.get("message"), body.get(kind)
    return (
        ErrorBody(message, type_ if isinstance(type_, str) else None)
        if isinstance(message, str)
        else None
    )


@dataclass(frozen=True, slots=True)
class Refusals:
    """The error types of one contract and what they mean here."""

    #: Returns, by operation and status, the error types that the contract names there.
    declared_kinds: Callable[[], Mapping[tuple[str, int], tuple[str, ...]]]
    #: By error type: the error it becomes.
    kinds: Mapping[str, type[LakepactError]]
    #: Reads an error body; None when it is not in the contract's form.
    read: Callable[[bytes], ErrorBody | None]
    #: By operation and status: the error, where these two say more than the error type.
    places: Mapping[tuple[str, int], type[LakepactError]] = field(
        default_factory=dict[tuple[str, int], type[LakepactError]]
    )
    #: Operations that change nothing, whatever their method.
    reads: frozenset[str] = frozenset()

    def kind(
        self, operation: str, status: int, grievance: ErrorBody | None, *, has_retry_after: bool
    ) -> type[LakepactError]:
        """Return the error for a refusal of `operation`; `has_retry_after` when the reply carries a
        `Retry-After`.
        """
        if (
            self.is_commit(operation)
            and status >= 500
            and status != 501
            and not (status == 503 and has_retry_after)
        ):
            return OutcomeUnknown
        by_status = _BY_STATUS.get(
            status, errors.ServerError if status >= 500 else errors.ResponseError
        )
        if grievance is None:
            # A 404 that is not in the contract's form may come from anything on the way, so it is
            # not yet a missing table.
            return by_status
        if (operation, status) in self.places:
            return self.places[operation, status]
        kind = self.kinds.get(grievance.type or "")
        kinds = self.declared_kinds().get((operation, status), ())
        if kind is None and len(kinds) == 1:
            kind = self.kinds.get(kinds[0])
        # Servers tell more causes apart than the contract lists for an operation, so a type counts
        # wherever it fits the status.
        fits = kind is not None and (
            grievance.type in kinds or issubclass(kind, (by_status, OutcomeUnknown))
        )
        return kind if kind is not None and fits else by_status

    def is_commit(self, operation: str) -> bool:
        """Return whether the contract has replies to `operation` that leave its outcome unknown."""
        return any(
            self.kinds.get(kind) is OutcomeUnknown
            for (name, _), types in self.declared_kinds().items()
            if name == operation
            for kind in types
        )
