"""The names that most checks use: lab, decorators, expectations, operations and updates."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.kit import scans, transactions
from lakepact.conformance.checks.iceberg_rest.kit.commits import requirements as req
from lakepact.conformance.checks.iceberg_rest.kit.commits import updates as upd
from lakepact.conformance.checks.iceberg_rest.kit.lab import (
    SCHEMA,
    SEPARATOR,
    CatalogLab,
    Namespace,
    Table,
    set_properties,
    set_ref,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables import states
from lakepact.conformance.checks.iceberg_rest.suite import check, invariant
from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.exchanges import (
    Document,
    Exchange,
    Members,
    Place,
    Placed,
    Reply,
)
from lakepact.conformance.evidence.outcome import (
    LOWEST_ERROR,
    SUCCESS,
    Blocked,
    Mutation,
    NotOffered,
    Unmet,
    Wrong,
)
from lakepact.conformance.judging import expect
from lakepact.generated.contract import Contract, Operation, OperationId, Requirement
from lakepact.generated.iceberg_rest import op

__all__ = [
    "LOWEST_ERROR",
    "SCHEMA",
    "SEPARATOR",
    "SUCCESS",
    "Blocked",
    "CatalogLab",
    "Contract",
    "Document",
    "Exchange",
    "Kind",
    "Members",
    "Mutation",
    "Namespace",
    "NotOffered",
    "Operation",
    "OperationId",
    "Place",
    "Placed",
    "Reply",
    "Requirement",
    "Table",
    "Unmet",
    "Wrong",
    "check",
    "expect",
    "invariant",
    "op",
    "req",
    "scans",
    "set_properties",
    "set_ref",
    "states",
    "transactions",
    "upd",
]
