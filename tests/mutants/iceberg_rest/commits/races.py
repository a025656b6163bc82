"""Wrong ways with commits that are made side by side."""

from __future__ import annotations

from mutants.iceberg_rest.operators.races import CONFLICT, FAILURE, crowded, read_before

FAULTS = {
    "checks-and-swaps-apart IRC-COM-020 IRC-COM-021 IRC-REQ-002": read_before(checked_again=False),
    "overwrites-other-commits IRC-COM-021": read_before(checked_again=True),
    "racing-commits-all-conflict IRC-COM-035": crowded(first=CONFLICT, others=CONFLICT),
    "racing-commits-fail IRC-COM-020 IRC-COM-021 IRC-REQ-002": crowded(first=None, others=FAILURE),
}
