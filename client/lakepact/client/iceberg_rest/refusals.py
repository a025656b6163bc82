"""Errors of Iceberg REST: the error body, the error types, and the exception for each."""

from __future__ import annotations

from functools import cache

from lakepact.client import errors
from lakepact.client.refusals import ErrorBody, Refusals, error_body, members
from lakepact.generated.contract import client_contract

#: Errors that the status alone does not determine.
_KINDS: dict[str, type[errors.LakepactError]] = {
    "AlreadyExistsException": errors.AlreadyExists,
    "CommitFailedException": errors.CommitRejected,
    "CommitStateUnknownException": errors.OutcomeUnknown,
    "NamespaceNotEmptyException": errors.NotEmpty,
    "NoSuchFunctionException": errors.NoSuchFunction,
    "NoSuchNamespaceException": errors.NoSuchNamespace,
    "NoSuchPlanIdException": errors.NoSuchPlan,
    "NoSuchPlanTaskException": errors.NoSuchPlanTask,
    "NoSuchTableException": errors.NoSuchTable,
    "NoSuchViewException": errors.NoSuchView,
}


def _error_body(content: bytes) -> ErrorBody | None:
    """Return the error in `content`: `{"error": {…}}`, or its inner object alone, as the contract
    draws it for views and 406.
    """
    document = members(content)
    return error_body(members(document.get("error", document)), "type")


@cache
def _error_types() -> dict[tuple[str, int], tuple[str, ...]]:
    return {
        (operation.id, int(answer.status)): answer.errors
        for operation in client_contract("iceberg_rest").operations.values()
        for answer in operation.answers.values()
        if answer.errors
    }


#: POST operations that change no table: repeating one makes a second plan or signature at worst.
_READS = frozenset({"planTableScan", "fetchScanTasks", "signRequest"})

REFUSALS = Refusals(declared_kinds=_error_types, kinds=_KINDS, read=_error_body, reads=_READS)
