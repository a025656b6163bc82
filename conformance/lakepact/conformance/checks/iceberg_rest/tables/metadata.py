"""Invariants of table metadata, in every answer and over the life of a table."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Contract,
    Document,
    Exchange,
    Kind,
    Members,
    Place,
    Reply,
    Table,
    check,
    expect,
    invariant,
    op,
    set_properties,
    set_ref,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.metadata_members import (
    expect_times_in_order,
    expect_unique,
    ids,
    members,
    objects,
)
from lakepact.conformance.evidence.exchanges import NO_OPERATION
from lakepact.conformance.judging.definitions import answers_of

#: Operations whose answers carry table metadata, and their methods.
CARRIERS = {
    operation: Contract("iceberg_rest").operations[operation].method
    for operation in (op.create_table, op.load_table, op.update_table, op.register_table)
}
CARRYING = answers_of(*CARRIERS, status=200)


def carries_metadata(exchange: Exchange) -> bool:
    """Return whether the answer is one that has to carry table metadata."""
    return exchange.status == 200 and exchange.method == CARRIERS.get(
        exchange.operation or NO_OPERATION
    )


def metadata_of(exchange: Exchange) -> Document:
    """Return the table metadata that an answer carries; empty where it carries none."""
    return members(members(exchange.json).get("metadata")) if carries_metadata(exchange) else {}


def place(exchange: Exchange, *path: str | int) -> Place:
    """Return the place of a member of the table metadata in an answer."""
    return Reply(exchange).place("metadata", *path)


def refs(metadata: Members) -> dict[str, Document]:
    """Return the branches and tags; none where there is no such member."""
    return {name: members(ref) for name, ref in members(metadata.get("refs")).items()}


def current_snapshot(metadata: Members) -> Any:
    """Return the id of the current snapshot; `None` where it is absent, null or -1."""
    current = metadata.get("current-snapshot-id")
    return None if current == -1 else current


def expect_one_of(exchange: Exchange, *, default: str, member: str, key: str) -> bool:
    """The default is the id of one of the objects, and no two of them have the same id."""
    metadata = metadata_of(exchange)
    if member not in metadata:
        return False
    values = ids(metadata, member, key)
    expect_unique(values, f"`{key}` in `{member}`", at=place(exchange, member))
    if default in metadata:
        expect.one_of(
            values, metadata[default], f"`{default}` in `{member}`:", at=place(exchange, default)
        )
    return True


def field_ids(schema: Members) -> Iterator[Any]:
    """Yield the ids of all fields of a schema, nested ones included."""
    kinds: list[Any] = [schema]
    while kinds:
        kind = members(kinds.pop())
        for field in objects(kind, "fields"):
            yield field.get("id")
            kinds.append(field.get("type"))
        for part in ("element", "key", "value"):
            if part in kind:
                yield kind.get(f"{part}-id")
                kinds.append(kind[part])


def expect_at_least(exchange: Exchange, last: str, used: Iterable[Any]) -> bool:
    """The last assigned id is not smaller than any that is used."""
    metadata = metadata_of(exchange)
    highest = max((i for i in used if isinstance(i, int)), default=None)
    if highest is None or last not in metadata:
        return False
    covers = isinstance(metadata[last], int) and metadata[last] >= highest
    expect.true(covers, f"`{last}` of at least {highest}", metadata[last], at=place(exchange, last))
    return True


# -- invariants ------------------------------------------------------------------------------------


@invariant("IRC-META-001", concerns=CARRYING)
def metadata_has_version_and_uuid(exchange: Exchange) -> bool:
    """Table metadata has a `format-version` from 1 to 3 and a `table-uuid`."""
    if not carries_metadata(exchange) or not isinstance(
        members(exchange.json).get("metadata"), dict
    ):
        return False
    metadata = metadata_of(exchange)
    version, uuid = metadata.get("format-version"), metadata.get("table-uuid")
    if type(version) is not int or not 1 <= version <= 3:
        schema = {"type": "integer", "minimum": 1, "maximum": 3}
        at = place(exchange, "format-version")
        raise expect.unmet(
            "an integer from 1 to 3 as `format-version`",
            expect.excerpt(version),
            at=at,
            schema=schema,
        )
    expect.true(
        isinstance(uuid, str), "a string as `table-uuid`", uuid, at=place(exchange, "table-uuid")
    )
    return True


@invariant("IRC-META-002", concerns=CARRYING)
def current_schema_exists(exchange: Exchange) -> bool:
    """The current schema is one of the schemas, whose ids are unique."""
    return expect_one_of(exchange, default="current-schema-id", member="schemas", key="schema-id")


@invariant("IRC-META-003", concerns=CARRYING)
def default_spec_exists(exchange: Exchange) -> bool:
    """The default spec is one of the partition specs, whose ids are unique."""
    return expect_one_of(
        exchange, default="default-spec-id", member="partition-specs", key="spec-id"
    )


@invariant("IRC-META-004", concerns=CARRYING)
def default_order_exists(exchange: Exchange) -> bool:
    """The default sort order is one of the sort orders, whose ids are unique."""
    return expect_one_of(
        exchange, default="default-sort-order-id", member="sort-orders", key="order-id"
    )


@invariant("IRC-META-005", concerns=CARRYING)
def last_column_id_covers_all(exchange: Exchange) -> bool:
    """No field of any schema has an id above `last-column-id`."""
    metadata = metadata_of(exchange)
    return expect_at_least(
        exchange,
        "last-column-id",
        (i for schema in objects(metadata, "schemas") for i in field_ids(schema)),
    )


@invariant("IRC-META-006", concerns=CARRYING)
def last_partition_id_covers_all(exchange: Exchange) -> bool:
    """No field of any partition spec has an id above `last-partition-id`."""
    metadata = metadata_of(exchange)
    used = (
        field.get("field-id")
        for spec in objects(metadata, "partition-specs")
        for field in objects(spec, "fields")
    )
    return expect_at_least(exchange, "last-partition-id", used)


@invariant("IRC-META-007", concerns=CARRYING)
def refs_name_existing_snapshots(exchange: Exchange) -> bool:
    """Every branch and tag names a snapshot of the same response."""
    metadata = metadata_of(exchange)
    snapshot_ids = ids(metadata, "snapshots", "snapshot-id")
    for name, ref in refs(metadata).items():
        at = place(exchange, "refs", name, "snapshot-id")
        expect.one_of(
            snapshot_ids, ref.get("snapshot-id"), f"the snapshot of ref {name} in snapshots:", at=at
        )
    return bool(refs(metadata))


@invariant("IRC-META-008", concerns=CARRYING)
def main_is_current(exchange: Exchange) -> bool:
    """The current snapshot is that of the branch main; without main there is none."""
    metadata = metadata_of(exchange)
    if not metadata:
        return False
    current = current_snapshot(metadata)
    main = refs(metadata).get("main")
    at = place(exchange, "current-snapshot-id")
    if main is not None:
        expect.equal(
            main.get("snapshot-id"), current, "as `current-snapshot-id`, like the ref main,", at=at
        )
    elif "refs" in metadata:
        expect.true(
            current is None,
            "no `current-snapshot-id`, null or -1 without the ref main",
            expect.excerpt(current),
            kind=Kind.SURPLUS,
            at=at,
        )
    else:
        return False
    return True


@invariant("IRC-META-009", concerns=CARRYING)
def snapshot_ids_are_unique(exchange: Exchange) -> bool:
    """Snapshot ids are unique, and no sequence number is above `last-sequence-number`."""
    metadata = metadata_of(exchange)
    if not objects(metadata, "snapshots"):
        return False
    expect_unique(
        ids(metadata, "snapshots", "snapshot-id"),
        "`snapshot-id` in `snapshots`",
        at=place(exchange, "snapshots"),
    )
    expect_at_least(exchange, "last-sequence-number", ids(metadata, "snapshots", "sequence-number"))
    return True


@invariant("IRC-META-010", concerns=CARRYING)
def snapshots_have_the_members_of_their_version(exchange: Exchange) -> bool:
    """Snapshots have a sequence number from format version 2 on; from version 3, first row ids and
    the table's `next-row-id`.
    """
    metadata = metadata_of(exchange)
    version, snapshots = metadata.get("format-version"), objects(metadata, "snapshots")
    if not isinstance(version, int) or version < 2 or (version == 2 and not snapshots):
        return False
    # Snapshots of version 1 have the sequence number 0, which may be absent and comes before all
    # others.
    have_number = ["sequence-number" in snapshot for snapshot in snapshots]
    is_upgrade = metadata.get("last-sequence-number") == 0 or (
        any(have_number) and have_number == sorted(have_number)
    )
    for number, snapshot in enumerate(snapshots):
        at = place(exchange, "snapshots", number)
        if not is_upgrade:
            _expect_member(snapshot, "sequence-number", at)
        # Snapshots from before an upgrade to version 3 have no rows of their own; later ones record
        # their number.
        if version >= 3 and "added-rows" in snapshot:
            _expect_member(snapshot, "first-row-id", at)
    if version >= 3:
        at = place(exchange, "next-row-id")
        expect.true(
            "next-row-id" in metadata,
            "`next-row-id` in metadata of format version 3",
            "none there",
            at=at,
            kind=Kind.MISSING,
        )
    return True


@invariant("IRC-META-019", concerns=CARRYING)
def next_row_id_is_above_all_rows(exchange: Exchange) -> bool:
    """In format version 3, `next-row-id` is not below the end of any snapshot's rows."""
    metadata = metadata_of(exchange)
    following = metadata.get("next-row-id")
    snapshots = [
        one for one in objects(metadata, "snapshots") if isinstance(one.get("first-row-id"), int)
    ]
    if metadata.get("format-version") != 3 or not isinstance(following, int) or not snapshots:
        return False
    for one in snapshots:
        rows = one.get("added-rows")
        end = one["first-row-id"] + (rows if isinstance(rows, int) else 0)
        expected = (
            f"a next-row-id of at least {end}, the end of the rows of snapshot"
            f" {one.get('snapshot-id')}"
        )
        expect.true(following >= end, expected, following, at=place(exchange, "next-row-id"))
    return True


def _expect_member(snapshot: Members, member: str, at: Place) -> None:
    expect.true(
        member in snapshot,
        f"`{member}` in every snapshot",
        snapshot,
        at=at.within(member),
        kind=Kind.MISSING,
    )


@invariant("IRC-META-011", concerns=CARRYING)
def snapshot_log_ends_with_the_current_snapshot(exchange: Exchange) -> bool:
    """The times of the snapshot log do not decrease, and its last entry is the current snapshot."""
    metadata = metadata_of(exchange)
    log = ids(metadata, "snapshot-log", "snapshot-id")
    if not log:
        return False
    expect_times_in_order(metadata, "snapshot-log", at=place(exchange))
    current = current_snapshot(metadata)
    if current is not None:
        at = place(exchange, "snapshot-log")
        expect.equal(
            current, log[-1], "as the last snapshot in `snapshot-log` the current one,", at=at
        )
    return True


@invariant("IRC-META-012", concerns=CARRYING)
def metadata_log_omits_the_current_file(exchange: Exchange) -> bool:
    """The times of the metadata log do not decrease, and it does not contain the current file."""
    metadata = metadata_of(exchange)
    log = ids(metadata, "metadata-log", "metadata-file")
    if not log:
        return False
    expect_times_in_order(metadata, "metadata-log", at=place(exchange))
    location = exchange.json.get("metadata-location")
    if location is not None:
        expect.lacks(location, log, "`metadata-log`", at=place(exchange, "metadata-log"))
    return True


@invariant("IRC-META-014", concerns=CARRYING)
def table_properties_are_strings(exchange: Exchange) -> bool:
    """Table properties are strings."""
    metadata = metadata_of(exchange)
    if "properties" not in metadata:
        return False
    properties, at = metadata["properties"], place(exchange, "properties")
    expect.true(
        isinstance(properties, dict), "an object as `properties`", expect.excerpt(properties), at=at
    )
    for key, value in properties.items():
        expect.true(
            isinstance(value, str), f"a string as property `{key}`", value, at=at.within(key)
        )
    return True


@invariant("IRC-META-015", concerns=CARRYING)
def statistics_files_are_unique(exchange: Exchange) -> bool:
    """A snapshot has at most one statistics file of each kind."""
    metadata = metadata_of(exchange)
    members = [
        member for member in ("statistics", "partition-statistics") if objects(metadata, member)
    ]
    for member in members:
        expect_unique(
            ids(metadata, member, "snapshot-id"),
            f"`snapshot-id` in `{member}`",
            at=place(exchange, member),
        )
    return bool(members)


# -- over the life of a table ----------------------------------------------------------------------

INVARIANTS = {
    "IRC-META-001": metadata_has_version_and_uuid,
    "IRC-META-002": current_schema_exists,
    "IRC-META-003": default_spec_exists,
    "IRC-META-004": default_order_exists,
    "IRC-META-005": last_column_id_covers_all,
    "IRC-META-006": last_partition_id_covers_all,
    "IRC-META-007": refs_name_existing_snapshots,
    "IRC-META-008": main_is_current,
    "IRC-META-009": snapshot_ids_are_unique,
    "IRC-META-010": snapshots_have_the_members_of_their_version,
    "IRC-META-011": snapshot_log_ends_with_the_current_snapshot,
    "IRC-META-012": metadata_log_omits_the_current_file,
    "IRC-META-014": table_properties_are_strings,
    "IRC-META-015": statistics_files_are_unique,
}


@check(*INVARIANTS)
def metadata_invariants_hold_over_commits(lab: CatalogLab) -> None:
    """The metadata invariants hold while a table is created, evolves, gains and loses snapshots,
    and is loaded with `refs`.
    """
    table = lab.make_table(properties={"lakepact.note": "1"})
    inner = {
        "id": table.member("last-column-id") + 2,
        "name": "city",
        "type": "string",
        "required": False,
    }
    place = upd.next_column(table, "place", {"type": "struct", "fields": [inner]})
    after_evolution = lab.commit(
        table,
        upd.add_schema(upd.schema_with(table, place)),
        upd.set_current_schema(upd.LAST_ADDED),
        upd.add_spec(upd.field_of(table, "name", "identity", "name")),
        upd.set_default_spec(upd.LAST_ADDED),
        upd.add_sort_order(upd.sort_field(upd.column(table, "id"))),
        upd.set_default_sort_order(upd.LAST_ADDED),
    )
    first = lab.append(after_evolution)
    old = first.member("current-snapshot-id")
    second = lab.append(lab.commit(first, set_ref("release", old, kind="tag")))
    with_refs = lab.require(lab.send(op.load_table, **table.at, snapshots="refs"), 200)
    answers = [answer.reply for answer in (table, after_evolution, first, second, lab.load(table))]
    answers += [
        with_refs,
        lab.try_commit(table, upd.remove_snapshots(old)),
        lab.try_commit(table, upd.remove_ref("main")),
        lab.load(table).reply,
    ]

    for requirement, holds in lab.each(INVARIANTS.items()):
        with lab.judge(requirement):
            for answer in answers:
                holds(answer.exchange)


@check("IRC-META-010")
def snapshots_of_version_3_have_first_row_ids(lab: CatalogLab) -> None:
    """Snapshots of a format version 3 table have a `first-row-id`."""
    table = lab.append(upd.table_of_version(lab, 3))

    with lab.judge("IRC-META-010"):
        snapshots_have_the_members_of_their_version(table.reply.exchange)


@check("IRC-META-015")
def statistics_set_twice_are_stored_once(lab: CatalogLab) -> None:
    """A snapshot whose statistics are set twice has one statistics file."""
    if not lab.feature("statistics"):
        lab.skip("IRC-META-015", "the target keeps no statistics")
        return
    table = lab.table_with_snapshot()
    snapshot = table.member("current-snapshot-id")
    reply = lab.require(
        lab.try_commit(
            table,
            *(
                upd.set_statistics(upd.statistics_file(table, snapshot, name=name))
                for name in ("older", "newer")
            ),
        ),
        200,
    )

    with lab.judge("IRC-META-015"):
        statistics_files_are_unique(reply.exchange)


@check("IRC-META-013")
def table_uuid_never_changes(lab: CatalogLab) -> None:
    """A table keeps its UUID through commits, a rename and assign-uuid."""
    table = lab.make_table()
    answers = [
        lab.load(table),
        lab.commit(table, set_properties(**{"lakepact.note": "1"})),
        lab.append(table),
        lab.load(table),
    ]
    if lab.offers(op.rename_table):
        new = Table(table.namespace, lab.name(), table.reply)
        reply = lab.send(
            op.rename_table, body={"source": table.identifier, "destination": new.identifier}
        )
        if reply.status in (200, 204):
            lab.drop_afterwards(new.namespace, new.name)
            answers.append(lab.load(new))
    assignment = lab.try_commit(
        other := lab.make_table(), {"action": "assign-uuid", "uuid": str(uuid.uuid4())}
    )

    with lab.judge_each("IRC-META-013") as case:
        for answer in answers:
            with case():
                expect.member(table.uuid, answer.place("table-uuid"), "the initial table-uuid,")
        if assignment.status == 200:
            with case():
                after = lab.load(other)
                expect.member(
                    other.uuid,
                    after.place("table-uuid"),
                    "after an accepted assign-uuid, the initial table-uuid,",
                )


@check("IRC-META-016")
def version_1_members_are_noted(lab: CatalogLab) -> None:
    """Format version 1 metadata may have `schema` and `partition-spec` for readers of that
    version.
    """
    metadata = upd.table_of_version(lab, 1).metadata
    missing = [member for member in ("schema", "partition-spec") if member not in metadata]
    lab.note(
        "IRC-META-016",
        f"not there: {', '.join(missing)}"
        if missing
        else "`schema` and `partition-spec` are there",
    )
