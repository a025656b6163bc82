"""Checks of the updates `set-snapshot-ref` and `remove-snapshot-ref`."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Kind,
    Table,
    Wrong,
    check,
    expect,
    set_properties,
    set_ref,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import remove_ref_first, stored

#: Retention that a branch may have.
RETENTION = {
    "max-ref-age-ms": 604_800_000_000,
    "max-snapshot-age-ms": 86_400_000,
    "min-snapshots-to-keep": 3,
}


def refs(table: Table) -> Document:
    """Return a table's branches and tags; none where it has no such member."""
    by_name: Document = table.metadata.get("refs") or {}
    return by_name


def current_snapshot(table: Table) -> int | None:
    """Return the id of the current snapshot; none where it is absent, null or -1."""
    current: int | None = table.metadata.get("current-snapshot-id")
    return None if current == -1 else current


def expect_ref(table: Table, name: str, expected: Document) -> None:
    """Expect the branch or tag with these members and no other retention settings."""
    expect.contains(name, refs(table), "refs", at=table.place("refs"))
    members = ("type", "snapshot-id", *RETENTION)
    actual = {member: refs(table)[name].get(member) for member in members}
    expect.equal(
        {member: expected.get(member) for member in members},
        actual,
        f"the ref {name} as",
        at=table.place("refs", name),
    )


@check("IRC-UPD-044")
def branches_are_created_and_moved(lab: CatalogLab) -> None:
    """A branch is created at a snapshot and moves to another; moving main changes the current
    snapshot and its log, and a later commit to the branch leaves main there.
    """
    table = lab.make_table()
    first = lab.snapshot(table)

    with lab.judge("IRC-UPD-044") as case:
        table = lab.commit_and_load(
            table,
            upd.add_snapshot(first),
            set_ref("main", first["snapshot-id"]),
            set_ref("audit", first["snapshot-id"]),
        )
        second = lab.snapshot(table)
        before_move = lab.commit_and_load(table, upd.add_snapshot(second))
        table = lab.commit_and_load(table, set_ref("audit", second["snapshot-id"]))
        expect_ref(table, "audit", {"type": "branch", "snapshot-id": second["snapshot-id"]})
        with case():
            with lab.step("IRC-UPD-035"):
                expect.equal(
                    first["snapshot-id"],
                    current_snapshot(before_move),
                    "current-snapshot-id after an add-snapshot",
                    at=before_move.place("current-snapshot-id"),
                )
            expect.equal(
                first["snapshot-id"],
                current_snapshot(table),
                "current-snapshot-id while another branch moves",
                at=table.place("current-snapshot-id"),
            )
        table = lab.commit_and_load(table, set_ref("main", second["snapshot-id"]))
        expect_ref(table, "main", {"type": "branch", "snapshot-id": second["snapshot-id"]})
        expect.equal(
            second["snapshot-id"],
            current_snapshot(table),
            "current-snapshot-id once main has moved",
            at=table.place("current-snapshot-id"),
        )
        log = [entry.get("snapshot-id") for entry in table.member("snapshot-log")]
        expect.equal(
            [first["snapshot-id"], second["snapshot-id"]],
            log,
            "snapshot-log",
            at=table.place("snapshot-log"),
        )
        third = lab.snapshot(table)
        table = lab.commit_and_load(
            table, upd.add_snapshot(third), set_ref("audit", third["snapshot-id"])
        )
        expect_ref(table, "main", {"type": "branch", "snapshot-id": second["snapshot-id"]})


@check("IRC-UPD-045")
def refs_keep_type_and_retention(lab: CatalogLab) -> None:
    """A tag and a branch keep their type and retention."""
    table = lab.table_with_snapshot()
    snapshot = table.member("current-snapshot-id")
    tag = set_ref("release", snapshot, kind="tag", max_ref_age_ms=RETENTION["max-ref-age-ms"])
    branch = {**set_ref("audit", snapshot), **RETENTION}

    with lab.judge("IRC-UPD-045"):
        after = lab.commit_and_load(table, tag, branch)
        expect_ref(after, "release", tag)
        expect_ref(after, "audit", branch)


@check("IRC-UPD-044")
def other_branches_do_not_create_main(lab: CatalogLab) -> None:
    """Creating another branch first creates no main and no current snapshot."""
    table = lab.make_table()
    snapshot = lab.snapshot(table)
    branch = set_ref("audit", snapshot["snapshot-id"])

    with lab.judge("IRC-UPD-044") as case:
        before = lab.commit_and_load(table, upd.add_snapshot(snapshot))
        after = lab.commit_and_load(table, branch)
        expect_ref(after, "audit", branch)
        with case():
            with lab.step("IRC-UPD-035"):
                expect.lacks(
                    "main", refs(before), "refs after an add-snapshot", at=before.place("refs")
                )
                expect.equal(
                    None,
                    current_snapshot(before),
                    "current-snapshot-id after an add-snapshot",
                    at=before.place("current-snapshot-id"),
                )
            expect.lacks("main", refs(after), "refs", at=after.place("refs"))
            expect.equal(
                None,
                current_snapshot(after),
                "current-snapshot-id",
                at=after.place("current-snapshot-id"),
            )


@check("IRC-UPD-045")
def refs_change_their_type_or_are_kept(lab: CatalogLab) -> None:
    """Setting a tag again as a branch, or the reverse, changes its type, or returns 400 or 409 and
    keeps it.
    """
    table = lab.table_with_snapshot()
    at = table.member("current-snapshot-id")
    for name, former, new in lab.each((("release", "tag", "branch"), ("audit", "branch", "tag"))):
        stored(lab, table, set_ref(name, at, kind=former))
        reply = lab.try_commit(table, set_ref(name, at, kind=new))
        with lab.judge("IRC-UPD-045"):
            expect.status(reply, 200, 400, 409)
            after = lab.load(table)
            expect.equal(
                new if reply.status == 200 else former,
                refs(after).get(name, {}).get("type"),
                f"type of {name}",
                at=after.place("refs", name, "type"),
            )


@check("IRC-UPD-046", "IRC-UPD-047", "IRC-UPD-048")
def invalid_refs_return_400(lab: CatalogLab) -> None:
    """A ref without a name, a known type or a snapshot of the table returns 400, and so does main
    as a tag.
    """
    table = lab.table_with_snapshot()
    update = set_ref("audit", table.member("current-snapshot-id"))
    upd.judge_refusals(
        lab,
        "IRC-UPD-046",
        table,
        {
            "a snapshot that the table does not have": upd.unknown_id(
                set_ref("audit", 1), "snapshot-id"
            )
        },
    )
    incomplete = {
        f"no {member}": upd.lacking(update, member)
        for member in ("ref-name", "snapshot-id", "type")
    }
    kind = Wrong.VALUE("/updates/*/type")
    upd.judge_refusals(
        lab,
        "IRC-UPD-047",
        table,
        {"the type `fork`": (kind, [{**update, "type": "fork"}]), **incomplete},
    )
    upd.judge_refusals(
        lab,
        "IRC-UPD-048",
        table,
        {
            "main as a tag": (
                Wrong.VALUE("main as a tag", "for a commit that makes `main` a tag"),
                [{**update, "ref-name": "main", "type": "tag"}],
            )
        },
    )


@check("IRC-UPD-049", "IRC-UPD-045")
def retention_is_replaced(lab: CatalogLab) -> None:
    """A ref that is set again without retention has none, also after its removal."""
    table = lab.table_with_snapshot()
    plain = set_ref("audit", table.member("current-snapshot-id"))
    with_retention = stored(lab, table, {**plain, **RETENTION})
    with lab.step("IRC-UPD-045"):
        expect_ref(with_retention, "audit", {**plain, **RETENTION})

    with lab.judge("IRC-UPD-049"):
        expect_ref(lab.commit_and_load(table, plain), "audit", plain)
    remove_ref_first(lab, stored(lab, table, {**plain, **RETENTION}), "audit")
    with lab.judge("IRC-UPD-045"):
        expect_ref(lab.commit_and_load(table, plain), "audit", plain)


@check("IRC-UPD-056", "IRC-UPD-057")
def removing_refs_keeps_their_snapshots(lab: CatalogLab) -> None:
    """Removing a tag keeps its snapshot and its other refs; removing an unknown ref returns 200."""
    first = lab.table_with_snapshot()
    snapshot_id = first.member("current-snapshot-id")
    refs_of_snapshot = [
        set_ref("release", snapshot_id, kind="tag"),
        set_ref("audited", snapshot_id, kind="tag"),
        set_ref("side", snapshot_id),
    ]
    table = lab.append(stored(lab, first, *refs_of_snapshot))
    others = {name: ref for name, ref in refs(table).items() if name != "release"}

    with lab.judge("IRC-UPD-056"):
        after = lab.commit_and_load(table, upd.remove_ref("release"))
        expect.lacks("release", refs(after), "refs", at=after.place("refs"))
        expect.member(others, after.place("refs"), "the other refs")
        expect.contains(
            snapshot_id,
            [snapshot.get("snapshot-id") for snapshot in after.member("snapshots")],
            "snapshots",
            at=after.place("snapshots"),
        )
        later = lab.load(lab.commit(after, set_properties(**{"lakepact.new": "1"})))
        expect.lacks("release", refs(later), "refs", at=later.place("refs"))
    before = lab.load(table)
    with lab.judge("IRC-UPD-057"):
        answer = lab.commit_and_load(table, upd.remove_ref("nope"))
        expect.member(refs(before), answer.place("refs"), "the same refs")


@check("IRC-UPD-056", "IRC-UPD-058")
def without_main_no_snapshot_is_current(lab: CatalogLab) -> None:
    """Removing main, the only ref, removes it and leaves no current snapshot."""
    table = lab.table_with_snapshot()

    with lab.judge("IRC-UPD-056"):
        after = lab.commit_and_load(table, upd.remove_ref("main"))
        expect.lacks("main", refs(after), "refs", at=after.place("refs"))
    with lab.judge("IRC-UPD-058"):
        after = lab.load(table)
        with lab.step("IRC-UPD-056"):
            expect.lacks("main", refs(after), "refs", at=after.place("refs"))
        current = after.metadata.get("current-snapshot-id")
        expect.true(
            current in (None, -1),
            "no current-snapshot-id, null or -1",
            current,
            kind=Kind.SURPLUS,
            at=after.place("current-snapshot-id"),
        )
