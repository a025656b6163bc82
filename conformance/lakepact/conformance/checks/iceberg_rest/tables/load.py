"""Checks of loading tables: the metadata are complete, lie at `metadata-location`, and are of one
version.
"""

from __future__ import annotations

import httpx
import orjson

from lakepact.conformance.checks.iceberg_rest.api import (
    SCHEMA,
    Blocked,
    CatalogLab,
    Document,
    Exchange,
    Kind,
    Members,
    NotOffered,
    Place,
    Reply,
    Table,
    Wrong,
    check,
    expect,
    invariant,
    op,
    set_properties,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.metadata_members import (
    members,
    objects,
    of_the_contract,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import UNORDERED
from lakepact.conformance.checks.iceberg_rest.tables.create import expect_texts, success_body
from lakepact.conformance.checks.iceberg_rest.tables.list import (
    absent_tables,
    homeless_tables,
    is_odd,
)
from lakepact.conformance.checks.iceberg_rest.tables.structure import expect_columns
from lakepact.conformance.evidence.limits import TooLarge, decode
from lakepact.conformance.evidence.shared_files import READABLE_FILES
from lakepact.conformance.judging.definitions import answers_of

#: Members of metadata in every format version; others depend on the version or have alternatives.
MEMBERS = ("format-version", "table-uuid", "location", "last-updated-ms", "last-column-id")
FROM_VERSION_2 = (
    *(
        "last-sequence-number",
        "schemas",
        "current-schema-id",
        "partition-specs",
        "default-spec-id",
        "last-partition-id",
    ),
    *("sort-orders", "default-sort-order-id"),
)

FLAGS = ("s3.remote-signing-enabled", "s3.cross-region-access-enabled")
KEYS = ("client.region", "s3.access-key-id", "s3.secret-access-key", "s3.session-token", *FLAGS)

NO_SNAPSHOT = ("current-snapshot-id", -1)  #: as good as absent
GZIP = b"\x1f\x8b"  #: how a compressed file begins
STRANGER = "00000000-0000-4000-8000-000000000000"  #: the UUID of no table

COMMITS = 12  #: of one table while others load it
READERS = 3


# -- invariants ------------------------------------------------------------------------------------


@invariant("IRC-TBL-LOAD-012", concerns=answers_of(op.load_table, status=200))
def loaded_table_config_holds_strings(exchange: Exchange) -> bool:
    """The `config` of a loaded table is an object of strings."""
    config = success_body(exchange, op.load_table).get("config")
    if config is None:
        return False
    expect_texts(config, "`config`", at=Reply(exchange).place("config"))
    return True


@invariant("IRC-TBL-LOAD-016", concerns=answers_of(op.load_table, status=200))
def standard_settings_have_valid_values(exchange: Exchange) -> bool:
    """S3 settings of the contract in `config` are strings, and its flags are `true` or `false`."""
    config = members(success_body(exchange, op.load_table).get("config"))
    settings = {key: config[key] for key in KEYS if key in config}
    for key, value in settings.items():
        at = Reply(exchange).place("config", key)
        expect.true(isinstance(value, str), f"a string as `{key}`", expect.excerpt(value), at=at)
        expect.true(
            key not in FLAGS or value in {"true", "false"},
            f'"true" or "false" as `{key}`',
            expect.excerpt(value),
            at=at,
        )
    return bool(settings)


# -- that metadata are whole -----------------------------------------------------------------------


def expect_complete(table: Table) -> None:
    """The metadata have what their format version requires."""
    version = table.member("format-version")
    further = FROM_VERSION_2 if version >= 2 else ()
    missing = [
        member
        for member in (*MEMBERS, *further, *(("next-row-id",) if version >= 3 else ()))
        if member not in table.metadata
    ]
    expected = f"metadata of format version {version} that are complete"
    expect.true(
        not missing,
        expected,
        f"missing: {', '.join(missing)}",
        at=table.place(*missing[:1]),
        kind=Kind.MISSING,
    )
    if version == 1:
        for older, newer in (("schema", "schemas"), ("partition-spec", "partition-specs")):
            actual = f"members: {', '.join(table.metadata)}"
            expect.true(
                bool({older, newer} & set(table.metadata)),
                f"`{older}` or `{newer}`",
                actual,
                at=table.place(newer),
                kind=Kind.MISSING,
            )


def significant(metadata: Members) -> Document:
    """Metadata without the members that say nothing, which some write and others leave out, and
    sets in one order.
    """
    members = {
        member: value
        for member, value in metadata.items()
        if value not in (None, [], {}) and (member, value) != NO_SNAPSHOT
    }
    for member in UNORDERED & members.keys():
        members[member] = sorted(
            members[member], key=lambda item: orjson.dumps(item, option=orjson.OPT_SORT_KEYS)
        )
    return members


def stored(lab: CatalogLab, location: str | None) -> Document | None:
    """Return the metadata file at a location, or `None` where it cannot be read from here.

    Raises:
        Unmet: it holds no metadata.
    """
    try:
        content = lab.target.shared_files.at(location).read()
    except NotOffered:
        return None
    try:
        coding = "gzip" if content.startswith(GZIP) else ""
        document = orjson.loads(decode(content, coding, lab.target.max_body))
    except (orjson.JSONDecodeError, httpx.DecodingError, TooLarge) as broken:
        raise expect.unmet(f"table metadata at {location}", str(broken), at=None) from broken
    return members(document)


def expect_stored(lab: CatalogLab, table: Table) -> str:
    """The metadata are those of the file that the answer names; what can be said of it."""
    if not lab.feature(READABLE_FILES):
        return f"not compared with the file, which cannot be read (feature {READABLE_FILES})"
    file = stored(lab, table.metadata_location)
    if file is None:
        return (
            f"not compared with the file, which cannot be read from here: {table.metadata_location}"
        )
    metadata = significant(of_the_contract(lab, "TableMetadata", table.metadata, file))
    expect.equal(significant(file), metadata, "the metadata file", at=table.reply.place("metadata"))
    return "equal to the metadata file"


def commit_everything(lab: CatalogLab) -> tuple[Table, Document]:
    """Return a table with something of everything, and the two snapshots and the property that it
    was given.
    """
    table = lab.make_table()
    one = lab.snapshot(table)
    table = lab.append(table, **{key.replace("-", "_"): value for key, value in one.items()})
    table = lab.append(table, ref="audit")
    with lab.step("IRC-UPD-044"):
        expect.contains("audit", table.metadata.get("refs") or {}, "refs", at=table.place("refs"))
    table = lab.commit(table, set_properties(**{"lakepact.note": "kept"}))
    if lab.feature("statistics"):
        lab.try_commit(table, upd.set_statistics(upd.statistics_file(table, one["snapshot-id"])))
    return lab.load(table), one


@check("IRC-TBL-LOAD-001")
def loaded_metadata_are_complete(lab: CatalogLab) -> None:
    """A loaded table has all that its format version requires and all that was committed, as in its
    metadata file.
    """
    table, snapshot = commit_everything(lab)
    remark = ""
    with lab.judge("IRC-TBL-LOAD-001") as case:
        for version in (1, 2, 3):
            try:
                table_of_version = lab.load(upd.table_of_version(lab, version))
            except (Blocked, NotOffered):
                continue
            with case():
                expect_complete(table_of_version)
        expect_complete(table)
        expect_columns(table, SCHEMA)
        expect.equal(
            "kept",
            table.member("properties").get("lakepact.note"),
            "property lakepact.note",
            at=table.place("properties", "lakepact.note"),
        )
        expect.equal(
            ["audit", "main"], sorted(table.member("refs")), "names of refs", at=table.place("refs")
        )
        snapshots = [
            {member: one.get(member) for member in snapshot} for one in table.member("snapshots")
        ]
        expect.equal(2, len(snapshots), "snapshots:", at=table.place("snapshots"))
        expect.contains(snapshot, snapshots, "snapshots", at=table.place("snapshots"))
        remark = expect_stored(lab, table)
    if remark:
        lab.note("IRC-TBL-LOAD-001", remark)


@check("IRC-TBL-LOAD-002")
def metadata_location_follows_commits(lab: CatalogLab) -> None:
    """`metadata-location` changes with each commit that changes the table, and not otherwise."""
    table = lab.make_table()
    former: list[str] = []
    stranger = {"type": "assert-table-uuid", "uuid": STRANGER}

    def location() -> tuple[str, Place]:
        reply = lab.load(table).reply
        return reply.at("metadata-location"), reply.place("metadata-location")

    def expect_another() -> None:
        now, at = location()
        expect.true(now not in former, "a metadata-location that no earlier state had", now, at=at)

    def expect_last(what: str) -> None:
        now, at = location()
        expect.equal(former[-1], now, what, at=at)

    with lab.judge("IRC-TBL-LOAD-002") as case:
        for turn in range(3):
            with case():
                former.append(location()[0])
                expect_last("the metadata-location as before")
                with lab.step("IRC-REQ-008"):
                    commit = lab.try_commit(table, set_properties(a="1"), requirements=[stranger])
                    expect.status(commit, 409, mutation=Wrong.STALE("assert-table-uuid"))
                expect_last("the metadata-location as before a refused commit,")
                lab.commit(table, set_properties(a=str(turn)))
                expect_another()
        lab.append(table)
        expect_another()


# -- what cannot be loaded -------------------------------------------------------------------------


@check("IRC-TBL-LOAD-003", "IRC-TBL-LOAD-004")
def missing_tables_return_404(lab: CatalogLab) -> None:
    """Loading a missing table returns 404, whether or not its namespace exists."""
    with lab.judge_each("IRC-TBL-LOAD-003") as case:
        for at in absent_tables(lab):
            with case():
                expect.not_found(
                    lab.send(op.load_table, **at),
                    "table",
                    *((400,) if is_odd(at["table"]) else ()),
                    about=f"for {'.'.join(at['namespace'])} {expect.excerpt(at['table'])}",
                )
    with lab.judge_each("IRC-TBL-LOAD-004") as case:
        for at in homeless_tables(lab):
            with case():
                reply = lab.send(op.load_table, **at)
                expect.not_found(
                    reply,
                    "namespace",
                    about=f"for {'.'.join(at['namespace'])} {expect.excerpt(at['table'])}",
                )


@check("IRC-TBL-LOAD-014", "IRC-TBL-LOAD-018")
def loads_with_delegation_return_200(lab: CatalogLab) -> None:
    """Loading a table returns 200 with access delegation requested and without."""
    table = lab.make_table()
    replies = [
        lab.send(
            op.load_table,
            headers=[("X-Iceberg-Access-Delegation", "vended-credentials")]
            if with_delegation
            else [],
            **table.at,
        )
        for with_delegation in (False, True)
    ]
    files = lab.send(op.load_table, namespace=(*table.namespace, table.name), table="files")

    with lab.judge_each("IRC-TBL-LOAD-014") as case:
        for reply in replies:
            with case():
                expect.status(reply, 200)
        what = (
            "with credentials"
            if replies[-1].document.get("storage-credentials")
            else "without credentials"
        )
        lab.note("IRC-TBL-LOAD-014", f"the response to a load with access delegation is {what}")
    lab.note(
        "IRC-TBL-LOAD-018", f"the metadata table `files` is answered with status {files.status}"
    )


# -- that metadata are of one moment ---------------------------------------------------------------


def expect_one_moment(reply: Reply, states: dict[str, int]) -> None:
    """The answer is one committed state: what was committed together is seen together, at the
    location of that commit.
    """
    table = Table((), "", reply)
    metadata = table.metadata
    properties = members(metadata.get("properties"))
    numbers = {key: properties.get(f"lakepact.{key}") for key in ("first", "last")}
    expect.equal(
        numbers["first"],
        numbers["last"],
        "properties that each commit sets to the same value:",
        at=table.place("properties", "lakepact.last"),
    )
    turn = int(numbers["first"] or 0)
    expect.equal(
        turn,
        len(objects(metadata, "snapshots")),
        "snapshots, one for each commit:",
        at=table.place("snapshots"),
    )
    location = reply.document.get("metadata-location")
    if location in states:
        expect.equal(
            states[location],
            turn,
            f"the state of {location}, which is that of commit",
            at=reply.place(),
        )


@check("IRC-TBL-LOAD-017", alone=True)
def loads_see_whole_commits(lab: CatalogLab) -> None:
    """Loading a table during concurrent commits returns the state after one of them, never a
    mixture.
    """
    table = lab.make_table()
    states: dict[str, int] = {}
    replies: list[Reply] = []

    def write() -> None:
        now = table
        for turn, _ in enumerate(lab.repeat(COMMITS), start=1):
            snapshot = lab.snapshot(now)
            both = set_properties(**{"lakepact.first": str(turn), "lakepact.last": str(turn)})
            now = lab.commit(now, both, {"action": "add-snapshot", "snapshot": snapshot})
            if now.metadata_location is not None:
                states[now.metadata_location] = turn

    def read() -> None:
        replies.extend(lab.send(op.load_table, **table.at) for _ in lab.repeat(2 * COMMITS))

    lab.concurrently([write, *[read] * READERS])
    with lab.judge_each("IRC-TBL-LOAD-017") as case:
        for reply in (*replies, lab.send(op.load_table, **table.at)):
            with case():
                expect.status(reply, 200)
                expect_one_moment(reply, states)
