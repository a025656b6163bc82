"""Wrong ways with commits that are made side by side."""

from __future__ import annotations

from lakepact.reference_server.faults import Fault
from lakepact.reference_server.iceberg_rest.faults.ways.races import CONFLICT, FAILURE, crowded, read_before

FAULTS = (
    Fault(
        "checks-and-swaps-apart",
        "Between the check of the requirements and the swap other commits may come.",
        ("IRC-COM-020", "IRC-COM-021", "IRC-REQ-002"),
        read_before(checked_again=False),
    ),
    Fault(
        "overwrites-other-commits",
        "Requirements are checked at the swap, but the updates were applied to what was read before.",
        ("IRC-COM-021",),
        read_before(checked_again=True),
    ),
    Fault(
        "racing-commits-all-conflict",
        "Of simultaneous commits each is told that another one won.",
        ("IRC-COM-020", "IRC-REQ-002"),
        crowded(first=CONFLICT, others=CONFLICT),
    ),
    Fault(
        "racing-commits-fail",
        "Of simultaneous commits all but the first fail with 500.",
        ("IRC-COM-020", "IRC-COM-021", "IRC-REQ-002"),
        crowded(first=None, others=FAILURE),
    ),
)
