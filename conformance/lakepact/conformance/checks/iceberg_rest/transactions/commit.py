"""Checks of transactions that are accepted: all of their changes are made, whatever and wherever
the tables are.
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Members,
    NotOffered,
    Reply,
    Table,
    check,
    expect,
    set_properties,
    set_ref,
    transactions,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.commits.requirements import (
    assert_last_field,
    assert_ref,
    assert_schema,
    assert_uuid,
)
from lakepact.conformance.checks.iceberg_rest.kit.renames import rename_table
from lakepact.conformance.checks.iceberg_rest.kit.tables.encryption_keys import KEY, ROOT
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import (
    BOOKKEEPING,
    expect_no_change,
    state,
    without_its_own,
)
from lakepact.conformance.judging.cases import Cases

MANY = 10  #: tables that every catalog should be able to change in one transaction

#: Members that differ between two tables to which the same is done, because the target chose them,
#: or the moment did.
OF_EACH = BOOKKEEPING | {"snapshot-log"}


def expect_204_as_ever(lab: CatalogLab, reply: Reply) -> None:
    """Expect 204, unless a success that is answered otherwise is the matter of another requirement.

    Raises:
        StepFailed: the transaction was made, and answered with 200.
    """
    if reply.status in transactions.MADE:
        with lab.step("IRC-TXN-001"):
            expect.status(reply, 204)
    expect.status(reply, 204)


@check("IRC-TXN-001")
def transactions_change_two_tables(lab: CatalogLab) -> None:
    """A transaction over two tables returns 204 without a body and changes both, with requirements
    and without, and after one of them was renamed.
    """
    first, second = transactions.make_tables(lab, 2)
    conditions = (
        (assert_uuid(first.uuid), assert_ref("main", None)),
        (assert_schema(second.member("current-schema-id")),),
    )
    for mark, requirements in lab.each(
        (("once", ((), ())), ("again", conditions), ("after a rename", conditions))
    ):
        if mark == "after a rename":
            name = lab.name()
            if (
                rename_table(lab, first.identifier, {**first.identifier, "name": name}).status
                != 204
            ):
                return
            first = Table(first.namespace, name, first.reply)
        changes = (
            transactions.change(table, set_properties(lakepact=mark), requirements=needs)
            for table, needs in zip((first, second), requirements, strict=True)
        )
        reply = transactions.transact(lab, *changes)
        with lab.judge_each("IRC-TXN-001") as case:
            with case():
                expect.status(reply, 204)
                expect.no_body(reply)
            if reply.status in transactions.MADE:
                with case():
                    transactions.expect_marks(lab, (first, second), mark)


@check("IRC-TXN-001")
def transactions_apply_each_tables_own_updates(lab: CatalogLab) -> None:
    """A transaction applies to each table its own updates: snapshots, columns and properties."""
    with_snapshot, with_column, with_property = transactions.make_tables(lab, 3)
    snapshot = lab.snapshot(with_snapshot)
    reply = transactions.transact(
        lab,
        transactions.change(
            with_snapshot,
            upd.add_snapshot(snapshot),
            set_ref("main", snapshot["snapshot-id"]),
            requirements=[assert_ref("main", None)],
        ),
        transactions.change(
            with_column,
            upd.add_column(with_column, "more"),
            upd.set_current_schema(upd.LAST_ADDED),
            requirements=[assert_last_field(with_column.member("last-column-id"))],
        ),
        transactions.change(with_property, set_properties(lakepact="described")),
    )
    with lab.judge("IRC-TXN-001"):
        expect.status(reply, 204)
    if reply.status not in transactions.MADE:
        return
    with lab.judge("IRC-TXN-001") as case:
        after = lab.load(with_snapshot)
        expect.member(
            snapshot["snapshot-id"],
            after.place("refs", "main", "snapshot-id"),
            "main to be at the new snapshot,",
        )
        wide = lab.load(with_column)
        expect.contains(
            "more",
            upd.columns(upd.current_schema(wide)),
            "columns of the current schema",
            at=wide.place("schemas"),
        )
        transactions.expect_marks(lab, [with_property], "described")
        for other in (with_column, with_property):
            with case():
                after = lab.load(other)
                snapshots = after.metadata.get("snapshots") or []
                expect.equal(
                    [],
                    snapshots,
                    "the snapshots of a table that got none to be",
                    at=after.place("snapshots"),
                )


@check("IRC-TXN-013")
def transactions_change_tables_of_several_namespaces(lab: CatalogLab) -> None:
    """A transaction changes tables of sibling and nested namespaces, even if they have the same
    name, and no other table of such a name.
    """
    home = lab.make_namespace()
    places = [home, lab.make_namespace()]
    child = lab.child_of(home)
    places += [child] if child else []
    name = lab.name()
    tables = [lab.make_table(place, name=name) for place in places]
    reply = transactions.transact(
        lab,
        *[
            transactions.change(table, set_properties(lakepact=str(turn)))
            for turn, table in enumerate(tables)
        ],
    )
    with lab.judge_each("IRC-TXN-013") as case:
        with case():
            expect_204_as_ever(lab, reply)
        for turn, table in enumerate(tables if reply.status in transactions.MADE else ()):
            with case():
                transactions.expect_marks(lab, [table], str(turn))
    namesake = lab.load(lab.make_table(home))
    pair = (tables[0], lab.make_table(places[1], name=namesake.name))
    reply = transactions.transact(lab, *[transactions.marking(one, "apart") for one in pair])
    if reply.status in transactions.MADE:
        with lab.judge("IRC-TXN-013"):
            transactions.expect_marks(lab, pair, "apart")
            expect_no_change(lab, namesake)


@check("IRC-TXN-017")
def transactions_change_ten_tables(lab: CatalogLab) -> None:
    """A transaction over ten tables returns 204 and changes all of them."""
    tables = transactions.make_tables(lab, MANY)
    reply = transactions.transact(
        lab, *[transactions.marking(table, "one of many") for table in tables]
    )
    with lab.judge("IRC-TXN-017") as case:
        with case():
            expect_204_as_ever(lab, reply)
        if reply.status in transactions.MADE:
            transactions.expect_marks(lab, tables, "one of many")


def _updates(table: Table, snapshot: Document) -> list[list[Members]]:
    """Return commits of many kinds, for tables that differ only in name, location and UUID."""
    more = upd.next_column(table, "more", "long")
    return [
        [set_properties(a="1", b="2"), upd.remove_properties("a")],
        [upd.add_schema(upd.schema_with(table, more)), upd.set_current_schema(upd.LAST_ADDED)],
        [
            upd.add_spec(
                upd.partition_field(
                    more["id"], "bucket[4]", "more_bucket", field_id=upd.next_field(table)
                )
            ),
            upd.set_default_spec(upd.LAST_ADDED),
        ],
        [
            upd.add_sort_order(upd.sort_field(more["id"])),
            upd.set_default_sort_order(upd.LAST_ADDED),
        ],
        [
            upd.add_snapshot(snapshot),
            set_ref("main", snapshot["snapshot-id"]),
            set_ref("kept", snapshot["snapshot-id"], kind="tag"),
        ],
        [],
    ]


def _removals(table: Table, snapshots: Sequence[Members]) -> list[list[Members]]:
    """Commits that attach things to a table and take them away again; a target may decline some of
    them.
    """
    first, second = (snapshot["snapshot-id"] for snapshot in snapshots)
    more, other = upd.next_column(table, "more"), upd.next_column(table, "other", skip=1)
    at, former = upd.column(table, "at"), table.member("default-spec-id")
    return [
        [
            *map(upd.add_snapshot, snapshots),
            set_ref("main", second),
            set_ref("audit", first),
            set_ref("kept", second, kind="tag"),
        ],
        [
            upd.set_statistics(upd.statistics_file(table, first)),
            upd.set_partition_statistics(upd.partition_statistics_file(table, second)),
        ],
        [upd.set_statistics(upd.statistics_file(table, second)), upd.remove_statistics(second)],
        [upd.remove_ref("kept")],
        [upd.remove_snapshots(first)],
        [upd.remove_partition_statistics(second)],
        [
            upd.add_schema(upd.schema_with(table, more)),
            upd.set_current_schema(upd.LAST_ADDED),
            upd.add_schema(upd.schema_with(table, other, skip=1)),
        ],
        [upd.remove_schemas(table.member("current-schema-id"))],
        [
            upd.add_spec(upd.partition_field(at, "day", "by_day", field_id=upd.next_field(table))),
            upd.set_default_spec(upd.LAST_ADDED),
        ],
        [upd.remove_partition_specs(former)],
        [upd.upgrade_format_version(3)],
        [upd.add_encryption_key(ROOT), upd.add_encryption_key(KEY)],
        [upd.remove_encryption_key(KEY["key-id"])],
    ]


def _snapshot_for(snapshot: Members, table: Table, other: Table) -> Document:
    """Return a snapshot of a table for another one."""
    manifests = snapshot["manifest-list"].replace(table.location, other.location)
    return {**snapshot, "manifest-list": manifests}


def _comparable_metadata(table: Table) -> Document:
    """Return the metadata without location, UUID and name, to compare two tables."""
    text = orjson.dumps(
        {member: value for member, value in state(table).items() if member not in OF_EACH}
    ).decode()
    for own, instead in ((table.location, "location"), (table.uuid, "uuid"), (table.name, "name")):
        text = text.replace(own, instead)
    document: Document = orjson.loads(text)
    return document


def _expect_alike(
    lab: CatalogLab, case: Cases, by_commit: Table, by_transaction: Table, what: str
) -> None:
    """Expect of each member of a table's metadata that it is as in a table to which the same was
    done by a commit.
    """
    expected, actual = _comparable_metadata(by_commit), _comparable_metadata(by_transaction)
    if expected.get("properties") != actual.get("properties"):
        expected, actual = (
            _comparable_metadata(without_its_own(lab, table))
            for table in (by_commit, by_transaction)
        )
    for member in sorted(expected.keys() | actual.keys()):
        with case():  # of a whole object: what is compared is not literally in the answer
            member_expected, member_actual = (
                {member: one.get(member)} for one in (expected, actual)
            )
            expect.equal(
                member_expected,
                member_actual,
                f"metadata as after {what}:",
                at=by_transaction.place(member),
            )


@check("IRC-TXN-014")
def transactions_of_one_table_equal_commits(lab: CatalogLab) -> None:
    """A transaction over one table leaves the same metadata as a commit with the same updates."""
    by_commit, by_transaction = transactions.make_tables(lab, 2)
    snapshot = lab.snapshot(by_commit)
    other = _snapshot_for(snapshot, by_commit, by_transaction)
    for ours, theirs in lab.each(
        zip(_updates(by_commit, snapshot), _updates(by_transaction, other), strict=True)
    ):
        lab.require(
            lab.try_commit(by_commit, *ours, requirements=[assert_uuid(by_commit.uuid)]), 200
        )
        reply = transactions.transact(
            lab,
            transactions.change(
                by_transaction, *theirs, requirements=[assert_uuid(by_transaction.uuid)]
            ),
        )
        with lab.judge("IRC-TXN-014") as case:
            expect.status(reply, *transactions.MADE)
            _expect_alike(lab, case, lab.load(by_commit), lab.load(by_transaction), "a commit")


@check("IRC-TXN-014")
def transactions_extend_the_metadata_log(lab: CatalogLab) -> None:
    """A transaction writes a new metadata file and logs the former one, as a commit does."""
    by_commit, by_transaction = map(lab.load, transactions.make_tables(lab, 2))
    for turn in lab.each(("1", "2")):
        update = set_properties(**{"lakepact.turn": turn})
        lab.commit(by_commit, update)
        lab.require(transactions.transact(lab, transactions.change(by_transaction, update)))
        after, later = lab.load(by_commit), lab.load(by_transaction)
        with lab.judge("IRC-TXN-014"):
            expected, actual = _past(by_commit, after), _past(by_transaction, later)
            expect.equal(
                expected,
                actual,
                "metadata location and log as after a commit:",
                at=later.reply.place(),
            )
        by_commit, by_transaction = after, later


def _past(before: Table, after: Table) -> dict[str, bool]:
    """Return the metadata log entries of a table."""
    log = [
        entry.get("metadata-file")
        for entry in after.metadata.get("metadata-log") or ()
        if isinstance(entry, dict)
    ]
    place = before.metadata_location
    return {
        "metadata-location is another": after.metadata_location != place,
        "metadata-log has the former one": place in log,
    }


@check("IRC-TXN-014")
def transactions_apply_every_update(lab: CatalogLab) -> None:
    """A transaction applies every update that a commit applies, with the same result."""
    by_commit, by_transaction = transactions.make_tables(lab, 2)
    first = lab.snapshot(by_commit, schema_id=None)
    second = lab.snapshot(by_commit, schema_id=None, parent_snapshot_id=first["snapshot-id"])
    if "sequence-number" in first:
        second["sequence-number"] = first["sequence-number"] + 1
    others = [_snapshot_for(one, by_commit, by_transaction) for one in (first, second)]
    for ours, theirs in lab.each(
        zip(_removals(by_commit, (first, second)), _removals(by_transaction, others), strict=True)
    ):
        if lab.try_commit(by_commit, *ours).status != 200:
            continue
        reply = transactions.transact(lab, transactions.change(by_transaction, *theirs))
        with lab.judge("IRC-TXN-014") as case:
            expect.status(reply, *transactions.MADE, about=f"for {theirs[-1]['action']}")
            _expect_alike(
                lab,
                case,
                lab.load(by_commit),
                lab.load(by_transaction),
                f"a commit with {theirs[-1]['action']}",
            )


@check("IRC-TXN-014")
def transactions_set_the_location(lab: CatalogLab) -> None:
    """A transaction with `set-location` moves a table, if a commit does."""
    by_commit, by_transaction = transactions.make_tables(lab, 2)
    elsewhere = f"{by_commit.location}-moved"
    if (
        lab.try_commit(by_commit, upd.set_location(elsewhere)).status != 200
        or lab.load(by_commit).location != elsewhere
    ):
        raise NotOffered("the target does not let a commit move a table beside where it lies")
    location = f"{by_transaction.location}-moved"
    reply = transactions.transact(
        lab, transactions.change(by_transaction, upd.set_location(location))
    )

    with lab.judge("IRC-TXN-014"):
        expect.status(reply, *transactions.MADE, about="for set-location")
        after = lab.load(by_transaction)
        expect.member(location, after.place("location"))


@check("IRC-TXN-007")
def empty_transactions_return_204_or_400(lab: CatalogLab) -> None:
    """A transaction without changes returns 204 or 400 and changes nothing."""
    before = transactions.make_tables(lab, 1)
    reply = transactions.transact(lab)
    with lab.judge("IRC-TXN-007", remark="it is refused" if reply.status == 400 else ""):
        expect.status(reply, 204, 400)
        transactions.expect_no_changes(lab, before)


@check("IRC-TXN-011")
def two_changes_to_one_table_are_atomic(lab: CatalogLab) -> None:
    """Two changes to one table are both applied in order, or refused with 400, 409 or 422 and
    neither is applied.
    """
    for apart in lab.each((False, True)):
        twice, between = transactions.make_tables(lab, 2)
        before = [lab.load(table) for table in (twice, between)]
        reply = transactions.transact(
            lab,
            transactions.change(twice, set_properties(lakepact="first", early="yes")),
            *([transactions.marking(between, "between")] if apart else []),
            transactions.change(twice, set_properties(lakepact="second", late="yes")),
        )
        with lab.judge(
            "IRC-TXN-011",
            remark=""
            if reply.status in transactions.MADE
            else f"they are refused with {reply.status}",
        ):
            expect.status(reply, *transactions.MADE, 400, 409, 422)
            if reply.status not in transactions.MADE:
                transactions.expect_no_changes(lab, before)
                continue
            after = lab.load(twice)
            expected = {"lakepact": "second", "early": "yes", "late": "yes"}
            actual = {key: (after.metadata.get("properties") or {}).get(key) for key in expected}
            # Without a claim: a script that tests a property would call a server faulty that
            # refuses the transaction.
            expect.true(
                actual == expected,
                f"properties {expect.excerpt(expected)}",
                actual,
                at=after.place("properties"),
            )
            transactions.expect_marks(lab, [between] if apart else [], "between")
