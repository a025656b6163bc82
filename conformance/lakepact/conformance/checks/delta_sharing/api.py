"""The names that most checks use: lab, decorators, expectations, operations and lines of
answers.
"""

from __future__ import annotations

from lakepact.conformance.checks.delta_sharing.kit import lines as ndjson
from lakepact.conformance.checks.delta_sharing.kit import reading, target_tables, times
from lakepact.conformance.checks.delta_sharing.kit.catalog import (
    CAPABILITIES,
    EITHER_FORMAT,
    SharedTable,
)
from lakepact.conformance.checks.delta_sharing.kit.lab import SharingLab, bearing
from lakepact.conformance.checks.delta_sharing.suite import check, invariant
from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.exchanges import (
    Document,
    Exchange,
    Members,
    Place,
    Placed,
    Reply,
    place_of,
)
from lakepact.conformance.evidence.outcome import (
    Blocked,
    Mutation,
    NotOffered,
    Unmet,
    Wrong,
)
from lakepact.conformance.judging import expect
from lakepact.generated.contract import Contract, OperationId
from lakepact.generated.delta_sharing import op

__all__ = [
    "CAPABILITIES",
    "EITHER_FORMAT",
    "Blocked",
    "Contract",
    "Document",
    "Exchange",
    "Kind",
    "Members",
    "Mutation",
    "NotOffered",
    "OperationId",
    "Place",
    "Placed",
    "Reply",
    "SharedTable",
    "SharingLab",
    "Unmet",
    "Wrong",
    "bearing",
    "check",
    "expect",
    "invariant",
    "ndjson",
    "op",
    "place_of",
    "reading",
    "target_tables",
    "times",
]
