"""Checks of requirements that name the table itself, a branch or a tag."""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Table,
    Wrong,
    check,
    expect,
    req,
    set_ref,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import remove_ref_first, stored

UNKNOWN = 1  #: a snapshot id that no table of these checks has


def at(table: Table) -> int:
    """Return the snapshot that main is at."""
    snapshot_id: int = table.member("current-snapshot-id")
    return snapshot_id


def moving(lab: CatalogLab, table: Table, ref: str = "main") -> list[Document]:
    """Updates by which a writer adds data to a branch."""
    snapshot = lab.snapshot(table)
    return [upd.add_snapshot(snapshot), set_ref(ref, snapshot["snapshot-id"])]


@check("IRC-REQ-007", "IRC-REQ-008", "IRC-REQ-009")
def table_uuids_are_compared(lab: CatalogLab) -> None:
    """assert-table-uuid with the table's UUID returns 200, with any other UUID 409."""
    table, other = lab.make_table(), lab.make_table()
    commits = req.Commits(lab, table)
    situations = (
        "the UUID is that of the new table",
        "the UUID is the table's, which has changed since",
    )
    commits.judge("IRC-REQ-007", dict.fromkeys(situations, req.assert_uuid(table.uuid)), 200)
    last = "0" if table.uuid[-1] != "0" else "1"
    cases = {
        "the UUID belongs to no table": req.assert_uuid(req.NOBODY),
        "the UUID is that of another table": req.assert_uuid(other.uuid),
        "the UUID differs in its last digit": req.assert_uuid(table.uuid[:-1] + last),
    }
    commits.judge("IRC-REQ-008", cases, 409)
    commits.judge("IRC-REQ-008", cases, 409, updates=moving(lab, table))
    reply = lab.try_commit(
        table, req.HARMLESS, requirements=[req.assert_uuid(table.uuid.swapcase())]
    )
    with lab.judge(
        "IRC-REQ-009", remark=f"a UUID in other letter case is answered with status {reply.status}"
    ):
        expect.status(reply, 200, 409)


@check("IRC-REQ-008")
def uuids_of_dropped_tables_return_409(lab: CatalogLab) -> None:
    """assert-table-uuid with the UUID of a dropped table returns 409 on a new table of the same
    name.
    """
    former = lab.make_table()
    lab.drop_table(**former.at)
    table = lab.make_table(former.namespace, name=former.name)
    stale = {"the UUID is that of a former table of the same name": req.assert_uuid(former.uuid)}
    req.Commits(lab, table).judge("IRC-REQ-008", stale, 409)


@check("IRC-REQ-010")
def invalid_uuids_return_400(lab: CatalogLab) -> None:
    """assert-table-uuid without a string as `uuid` returns 400."""
    wrong: tuple[Any, ...] = (None, 0, True, {}, [])
    cases = {f"the UUID is {expect.excerpt(value)}": req.assert_uuid(value) for value in wrong}
    table = lab.make_table()
    commits = req.Commits(lab, table)
    commits.judge("IRC-REQ-010", cases, 400, mutation=Wrong.TYPE("/requirements/*/uuid"))
    commits.judge_without("IRC-REQ-010", req.assert_uuid(table.uuid), "uuid")


@check("IRC-REQ-011", "IRC-REQ-012", "IRC-REQ-013")
def branches_are_compared(lab: CatalogLab) -> None:
    """assert-ref-snapshot-id with the branch's snapshot returns 200; with another snapshot or a
    missing ref, 409.
    """
    first = lab.table_with_snapshot()
    commits = req.Commits(lab, first)
    commits.judge("IRC-REQ-011", {"main is there": req.assert_ref("main", at(first))}, 200)
    nowhere = {"main is not at this snapshot": req.assert_ref("main", UNKNOWN)}
    commits.judge("IRC-REQ-012", nowhere, 409)
    nobody = {
        "no ref has this name, but main is there": req.assert_ref("none", at(first)),
        "no ref has this name": req.assert_ref("none", UNKNOWN),
    }
    commits.judge("IRC-REQ-013", nobody, 409)
    first = lab.load(first)
    table = lab.append(stored(lab, first, set_ref("side", at(first))))
    holding = {
        "main is there": req.assert_ref("main", at(table)),
        "the other branch is there": req.assert_ref("side", at(first)),
    }
    commits.judge("IRC-REQ-011", holding, 200)
    stale: req.Cases = {
        "main has moved on from there": req.assert_ref("main", at(first)),
        "another branch is there": req.assert_ref("side", at(table)),
        "there is no such snapshot": req.assert_ref("main", UNKNOWN),
        "main has moved on, although another requirement holds": [
            req.assert_uuid(table.uuid),
            req.assert_ref("main", at(first)),
        ],
    }
    missing = {
        "no ref has this name, but main is there": req.assert_ref("none", at(table)),
        "no ref has this name": req.assert_ref("none", UNKNOWN),
        "no ref has this name in this letter case": req.assert_ref("Side", at(first)),
    }
    changes: tuple[list[Any], ...] = (
        [req.HARMLESS],
        moving(lab, table),
        [set_ref("side", at(table))],
    )
    for updates in lab.each(changes):
        commits.judge("IRC-REQ-012", stale, 409, updates=updates)
        commits.judge("IRC-REQ-013", missing, 409, updates=updates)


@check("IRC-REQ-011", "IRC-REQ-012", "IRC-REQ-013")
def moved_branches_are_compared(lab: CatalogLab) -> None:
    """assert-ref-snapshot-id compares with the branch's latest state after it moves forward, back,
    or is removed.
    """
    first = lab.append(lab.make_table(), ref="side")
    older = lab.load(first).member("refs", "side", "snapshot-id")
    second = lab.append(first, ref="side")
    newer = lab.load(second).member("refs", "side", "snapshot-id")
    here = {"the branch is there": req.assert_ref("side", newer)}
    there = {"the branch was there": req.assert_ref("side", older)}
    commits = req.Commits(lab, second)
    commits.judge("IRC-REQ-011", here, 200)
    commits.judge("IRC-REQ-012", there, 409)
    stored(lab, second, set_ref("side", older))
    commits.judge("IRC-REQ-011", {"the branch is there again": req.assert_ref("side", older)}, 200)
    commits.judge(
        "IRC-REQ-012", {"the branch was moved back from there": req.assert_ref("side", newer)}, 409
    )
    remove_ref_first(lab, second, "side")
    commits.judge("IRC-REQ-013", {"the branch is gone": req.assert_ref("side", older)}, 409)


@check("IRC-REQ-013", "IRC-REQ-014")
def refs_of_new_tables_do_not_exist(lab: CatalogLab) -> None:
    """On a new table, assert-ref-snapshot-id with null returns 200, with a snapshot 409."""
    table = lab.make_table()
    wrong = {
        "main does not exist yet": req.assert_ref("main", UNKNOWN),
        "no ref exists yet": req.assert_ref("side", UNKNOWN),
    }
    commits = req.Commits(lab, table)
    commits.judge("IRC-REQ-013", wrong, 409)
    absent = {
        "main does not exist yet": req.assert_ref("main", None),
        "no ref exists yet": req.assert_ref("side", None),
    }
    commits.judge("IRC-REQ-014", absent, 200)
    first = {"main does not exist until this commit": req.assert_ref("main", None)}
    commits.judge("IRC-REQ-014", first, 200, updates=moving(lab, table))


@check("IRC-REQ-014", "IRC-REQ-015")
def absent_refs_are_compared(lab: CatalogLab) -> None:
    """assert-ref-snapshot-id with null returns 200 for a missing or removed ref and 409 for an
    existing one.
    """
    table = lab.table_with_snapshot()
    commits = req.Commits(lab, table)
    commits.judge("IRC-REQ-015", {"main exists": req.assert_ref("main", None)}, 409)
    stored(
        lab,
        table,
        set_ref("side", at(table)),
        set_ref("tag", at(table), kind="tag"),
        set_ref("gone", at(table)),
    )
    remove_ref_first(lab, table, "gone")
    absent = {
        "no ref ever had this name": req.assert_ref("none", None),
        "the branch was removed": req.assert_ref("gone", None),
    }
    commits.judge("IRC-REQ-014", absent, 200)
    present = {f"{ref} exists": req.assert_ref(ref, None) for ref in ("main", "side", "tag")}
    changes: tuple[list[Any], ...] = ([req.HARMLESS], moving(lab, table))
    for updates in lab.each(changes):
        commits.judge("IRC-REQ-015", present, 409, updates=updates)
    remove_ref_first(lab, table, "main")
    removed = {"main was removed, although other refs exist": req.assert_ref("main", None)}
    commits.judge("IRC-REQ-014", removed, 200)


@check("IRC-REQ-016")
def tags_are_compared(lab: CatalogLab) -> None:
    """assert-ref-snapshot-id compares with the snapshot of a tag as with that of a branch."""
    first = lab.table_with_snapshot()
    table = lab.append(stored(lab, first, set_ref("tag", at(first), kind="tag")))
    commits = req.Commits(lab, table)
    commits.judge("IRC-REQ-016", {"the tag is there": req.assert_ref("tag", at(first))}, 200)
    stale = {
        "main is there, but not the tag": req.assert_ref("tag", at(table)),
        "the tag is nowhere like that": req.assert_ref("tag", UNKNOWN),
        "the tag exists": req.assert_ref("tag", None),
    }
    commits.judge("IRC-REQ-016", stale, 409)
    stored(lab, table, set_ref("tag", at(table), kind="tag"))
    commits.judge("IRC-REQ-016", {"the tag was moved away": req.assert_ref("tag", at(first))}, 409)


@check("IRC-REQ-017", "IRC-REQ-018")
def incomplete_ref_assertions_return_400(lab: CatalogLab) -> None:
    """assert-ref-snapshot-id without `ref` or `snapshot-id` returns 400; treating a missing
    `snapshot-id` as null is a warning.
    """
    table = lab.table_with_snapshot()
    for snapshot in lab.each((at(table), None)):
        req.Commits(lab, table).judge_without(
            "IRC-REQ-018", req.assert_ref("none", snapshot), "ref"
        )
    missing = Wrong.MISSING("/requirements/*/snapshot-id")
    for ref in lab.each(("main", "none")):
        as_null = lab.try_commit(
            table, req.HARMLESS, requirements=[req.assert_ref(ref, None)]
        ).status
        reply = lab.try_commit(
            table, req.HARMLESS, requirements=[{"type": "assert-ref-snapshot-id", "ref": ref}]
        )
        if reply.status == as_null:
            lab.warn(
                "IRC-REQ-017",
                expected="status 400 without `snapshot-id`",
                actual=f"status {as_null}, as for null",
                expected_status=(400,),
                mutation=missing,
            )
            continue
        with lab.judge("IRC-REQ-017"):
            expect.status(reply, 400, mutation=missing)


@check("IRC-REQ-019")
def snapshot_ids_are_compared_exactly(lab: CatalogLab) -> None:
    """assert-ref-snapshot-id compares all 64 bits: ids that are equal as doubles are different."""
    table = lab.make_table()
    for bits, snapshot_id in lab.each(((53, 2**53 + 1), (62, 2**62 + 1), (63, 2**63 - 1))):
        table = lab.append(table, ref=f"wide{bits}", snapshot_id=snapshot_id)
        almost = {f"the branch is at {snapshot_id}": req.assert_ref(f"wide{bits}", snapshot_id - 1)}
        req.Commits(lab, table).judge("IRC-REQ-019", almost, 409)


@check("IRC-REQ-039")
def requirements_of_one_type_are_all_checked(lab: CatalogLab) -> None:
    """Several requirements of one type are all checked: one failed requirement returns 409."""
    table = lab.table_with_snapshot()
    last = table.member("last-column-id")
    pairs = {
        "UUIDs": (req.assert_uuid(table.uuid), req.assert_uuid(req.NOBODY)),
        "last column ids": (req.assert_last_field(last), req.assert_last_field(upd.NOWHERE)),
        "refs": (req.assert_ref("main", at(table)), req.assert_ref("side", None)),
        "other refs": (req.assert_ref("side", at(table)), req.assert_ref("main", UNKNOWN)),
    }
    for what, (holds, fails) in lab.each(pairs.items()):
        if what == "refs":
            stored(lab, table, set_ref("side", at(table)))
        cases = {
            f"the last of several {what} is not so": [holds, fails],
            f"the first of several {what} is not so": [fails, holds],
            f"one among several {what} is not so": [holds, fails, holds],
        }
        req.Commits(lab, table).judge("IRC-REQ-039", cases, 409, several=True)
