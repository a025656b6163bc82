"""The names that most checks of catalog clients use."""

from __future__ import annotations

from lakepact.conformance.clients import expect
from lakepact.conformance.clients.iceberg_rest.kit.lab import TABLE, CatalogClientLab
from lakepact.conformance.clients.iceberg_rest.kit.repeated_commits import COMMITS, key_of
from lakepact.conformance.clients.iceberg_rest.kit.scripts import (
    answering,
    at_first,
    error,
    with_endpoints,
)
from lakepact.conformance.clients.iceberg_rest.kit.tables_with_files import (
    MAIN,
    rows_of,
    set_reference,
    table_with_rows,
)
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.clients.lab import Performance
from lakepact.conformance.evidence.exchanges import Document, Exchange, Members
from lakepact.conformance.evidence.outcome import Blocked, NotOffered, Unmet
from lakepact.conformance.programs.listener import Answer
from lakepact.conformance.programs.program import in_order
from lakepact.conformance.programs.scripted_server import Forward, Request, Script, as_it_is
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op

__all__ = [
    "COMMITS",
    "MAIN",
    "TABLE",
    "Answer",
    "Blocked",
    "CatalogClientLab",
    "Document",
    "Exchange",
    "Forward",
    "Members",
    "NotOffered",
    "OperationId",
    "Performance",
    "Request",
    "Script",
    "Unmet",
    "answering",
    "as_it_is",
    "at_first",
    "check",
    "error",
    "expect",
    "in_order",
    "key_of",
    "op",
    "rows_of",
    "set_reference",
    "table_with_rows",
    "with_endpoints",
]
