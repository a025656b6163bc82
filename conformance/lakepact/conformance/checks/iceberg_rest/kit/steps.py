"""Set-up steps of checks: a table must keep its history, and a requirement that does not hold must be refused alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.checks.iceberg_rest.kit.lab import set_ref
from lakepact.conformance.judging import expect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Table

    Entry = Mapping[str, Any]

CONFLICT = "IRC-COM-005"


def history_is_kept(lab: CatalogLab) -> None:
    """Check that a table keeps two snapshots, a branch and a tag.

    Raises:
        StepFailed: it does not.
        Blocked: a commit is refused.
    """
    first = lab.append(lab.make_table())
    at = first.member("current-snapshot-id")
    lab.append(first)
    lab.commit(first, set_ref("branch", at), set_ref("tag", at, kind="tag"))
    if lab.unsound:
        raise lab.unsound[0]


def refused_alone(lab: CatalogLab, table: Table, update: Entry, requirements: Sequence[Entry]) -> None:
    """Check that of requirements which were accepted together, the one that fails is refused by a commit that has no other.

    Raises:
        StepFailed: all of them are accepted alone, although they fail together.
    """
    statuses = [lab.try_commit(table, update, requirements=[one]).status for one in requirements]
    with lab.step(CONFLICT):
        kinds = ", ".join(dict.fromkeys(str(one.get("type")) for one in requirements))
        expect.true(max(statuses) >= 400, f"a refusal of one of the commits with {kinds} alone, since one does not hold", statuses)
