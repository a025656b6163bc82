"""Wrong ways with commits that are made side by side."""

from __future__ import annotations

from lakepact.reference_server.faults import Install, fault
from mutants.iceberg_rest.operators.races import CONFLICT, FAILURE, crowded, read_before


@fault("IRC-COM-020", "IRC-COM-021", "IRC-REQ-002")
def checks_and_swaps_apart() -> Install:
    """Between the check of the requirements and the swap other commits may come."""
    return read_before(checked_again=False)


@fault("IRC-COM-021")
def overwrites_other_commits() -> Install:
    """Requirements are checked at the swap, but the updates were applied to what was read before."""
    return read_before(checked_again=True)


@fault("IRC-COM-020", "IRC-REQ-002")
def racing_commits_all_conflict() -> Install:
    """All simultaneous commits return 409."""
    return crowded(first=CONFLICT, others=CONFLICT)


@fault("IRC-COM-020", "IRC-COM-021", "IRC-REQ-002")
def racing_commits_fail() -> Install:
    """Of simultaneous commits all but the first fail with 500."""
    return crowded(first=None, others=FAILURE)
