"""Set-up steps of checks."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.kit.commit_effects import ABOUT, EFFECTS
from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Table, set_ref
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import state
from lakepact.conformance.evidence.exchanges import Members
from lakepact.conformance.evidence.replaying import ABSENT
from lakepact.conformance.judging import expect


def expect_history(lab: CatalogLab) -> None:
    """Check that a table keeps two snapshots, a branch and a tag.

    Raises:
        StepFailed: it does not.
        Blocked: a commit is refused.
    """
    first = lab.table_with_snapshot()
    at = first.member("current-snapshot-id")
    lab.append(first)
    lab.commit(first, set_ref("branch", at), set_ref("tag", at, kind="tag"))
    if lab.unsound:
        raise lab.unsound[0]


def stored(lab: CatalogLab, table: Table, *updates: Members) -> Table:
    """Return a table as loaded after a set-up commit: an update that its answer shows, and the load
    does not, is the culprit.

    Raises:
        StepFailed: the load shows a member as it was before the commit, although the answer shows
            it changed.
        Blocked: the commit is refused.
    """
    answer = lab.commit(table, *updates)
    reload = lab.load(table)
    before, after_commit, now = map(state, (table, answer, reload))
    for action in {update["action"]: None for update in updates}:
        for member in ABOUT.get(action, ()):
            if now.get(member) == before.get(member) != after_commit.get(member):
                with lab.step(EFFECTS.get(action, "IRC-COM-002")):
                    expected = after_commit.get(member, ABSENT)
                    expect.equal(
                        expected,
                        now.get(member, ABSENT),
                        f"`{member}` as the commit answered it,",
                        at=reload.place(member),
                    )
    return reload


def remove_ref_first(lab: CatalogLab, table: Table, ref: str) -> None:
    """Remove a branch or tag.

    Raises:
        StepFailed: it is still there.
        Blocked: the commit is refused.
    """
    after = stored(lab, table, {"action": "remove-snapshot-ref", "ref-name": ref})
    with lab.step(EFFECTS["remove-snapshot-ref"]):
        expect.lacks(ref, after.metadata.get("refs") or {}, "refs", at=after.place("refs"))
