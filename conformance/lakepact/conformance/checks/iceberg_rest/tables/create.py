"""Checks of creating tables: that they exist, are answered whole, and are created once."""

from __future__ import annotations

import re
from functools import partial
from itertools import chain
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Exchange,
    Kind,
    Namespace,
    OperationId,
    Place,
    Reply,
    Table,
    Wrong,
    check,
    expect,
    invariant,
    op,
    states,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import sole_winner
from lakepact.conformance.checks.iceberg_rest.kit.dropped import former_namespaces, former_tables
from lakepact.conformance.checks.iceberg_rest.kit.tables.metadata_members import members, objects
from lakepact.conformance.checks.iceberg_rest.kit.tables.requests import (
    created,
    extend_schema,
    field,
    request_creation,
)
from lakepact.conformance.judging.definitions import answers_of

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

AT_ONCE = 16  #: creations of one table side by side
ROUNDS = 3  #: how often they try

OTHER_SCHEMA = extend_schema(fields=[field(1, "other", "long", required=True)])


# -- invariants ------------------------------------------------------------------------------------


def expect_texts(config: Any, what: str, *, at: Place) -> None:
    """An object whose values are all strings."""
    expect.true(isinstance(config, dict), f"an object as {what}", expect.excerpt(config), at=at)
    for key, value in members(config).items():
        expect.true(
            isinstance(value, str),
            f"a string as `{key}` of {what}",
            expect.excerpt(value),
            at=at.within(key),
        )


def success_body(exchange: Exchange, operation: OperationId) -> Document:
    """Return the body with which an operation was fulfilled; empty where it was not."""
    is_success = (
        exchange.operation == operation
        and exchange.method in {"GET", "POST"}
        and exchange.status == 200
    )
    return members(exchange.json) if is_success else {}


@invariant("IRC-TBL-CREATE-027", concerns=answers_of(op.create_table, status=200))
def created_table_config_holds_strings(exchange: Exchange) -> bool:
    """The `config` of a created table holds strings, and each of its credentials has a prefix and a
    `config` of strings.
    """
    body = success_body(exchange, op.create_table)
    config, credentials = body.get("config"), objects(body, "storage-credentials")
    if config is not None:
        expect_texts(config, "`config`", at=Reply(exchange).place("config"))
    for number, credential in enumerate(credentials):
        at = Reply(exchange).place("storage-credentials", number)
        has_both = isinstance(credential.get("prefix"), str) and "config" in credential
        expect.true(
            has_both,
            "`prefix` and `config` in each of `storage-credentials`",
            expect.excerpt(credential),
            at=at,
        )
        expect_texts(
            credential["config"], "`config` of a storage credential", at=at.within("config")
        )
    return config is not None or bool(credentials)


# -- that they exist -------------------------------------------------------------------------------


@check("IRC-TBL-CREATE-001")
def created_tables_exist(lab: CatalogLab) -> None:
    """A created table loads, whether `stage-create` is false or absent."""
    namespace = lab.make_namespace()
    requests: tuple[Document, ...] = ({"stage_create": None}, {"stage_create": False})

    with lab.judge_each("IRC-TBL-CREATE-001") as case:
        for request in requests:
            with case():
                table = created(lab, namespace, **request)
                load = lab.send(op.load_table, **table.at)
                expect.status(load, 200)
                expect.member(
                    table.uuid,
                    load.place("metadata", "table-uuid"),
                    "the table-uuid of the created table,",
                )
                if lab.offers(op.table_exists):
                    expect.status(lab.send(op.table_exists, **table.at), 204, 200)


@check("IRC-TBL-CREATE-002")
def create_table_returns_the_metadata_location(lab: CatalogLab) -> None:
    """Creating a table returns the same `metadata-location` as loading it."""
    table = lab.make_table()
    load = lab.load(table)

    with lab.judge("IRC-TBL-CREATE-002"):
        location = table.reply.at("metadata-location")
        expect.true(
            isinstance(location, str) and location != "",
            "a text as `metadata-location`",
            expect.excerpt(location),
            at=table.reply.place("metadata-location"),
        )
        expect.equal(
            load.metadata_location,
            location,
            "the metadata-location of the loaded table,",
            at=table.reply.place("metadata-location"),
        )


@check("IRC-TBL-CREATE-008")
def locations_may_be_chosen(lab: CatalogLab) -> None:
    """Creating a table with a location returns a location, the requested one or the server's."""
    table = lab.make_table()
    location = f"{table.location.rstrip('/')}-{lab.name()}"
    reply = request_creation(lab, table.namespace, lab.name(), location=location)
    if reply.status != 200:
        lab.note("IRC-TBL-CREATE-008", "the target does not take the requested location")
        return
    with lab.judge("IRC-TBL-CREATE-008"):
        is_same = str(reply.at("metadata", "location")).rstrip("/") == location
        lab.note(
            "IRC-TBL-CREATE-008",
            "the requested location is taken"
            if is_same
            else "the target overrides the requested location",
        )


@check("IRC-TBL-CREATE-026")
def create_table_may_return_an_etag(lab: CatalogLab) -> None:
    """The response to creating a table may have an ETag."""
    tag = lab.make_table().reply.headers.get("etag")
    lab.note("IRC-TBL-CREATE-026", f"ETag {tag}" if tag else "no ETag")


@check("IRC-TBL-CREATE-009")
def requested_properties_are_kept(lab: CatalogLab) -> None:
    """A created table has the requested properties with exactly their values."""
    properties = {
        "lakepact.owner": "żółć 表",
        "lakepact.empty": "",
        "lakepact.spaces": "  two  ",
        "lakepact.number": "007",
        "lakepact.flag": "TRUE",
        "Lakepact.Case": "kept",
        "lakepact key with=odd/letters": "a,b;c",
        "write.parquet.compression-codec": "gzip",
        "history.expire.min-snapshots-to-keep": "7",
    }

    table = lab.make_table(properties=properties)

    with lab.judge_each("IRC-TBL-CREATE-009") as case:
        for answer in (table, lab.load(table)):
            with case():
                actual = answer.member("properties")
                expect.includes(
                    properties,
                    actual,
                    "properties",
                    at=answer.place("properties"),
                )


@check("IRC-TBL-CREATE-010")
def format_version_is_selected_by_a_property(lab: CatalogLab) -> None:
    """The property `format-version` selects the format version and is not stored as a property."""
    with lab.judge("IRC-TBL-CREATE-010") as case:
        for version in (1, 2):
            table = created(
                lab, properties={"format-version": str(version), "lakepact.note": "kept"}
            )
            for answer in (table, lab.load(table)):
                with case():
                    expect.member(version, answer.place("format-version"))
                    expect.lacks(
                        "format-version",
                        members(answer.metadata.get("properties")),
                        "properties",
                        at=answer.place("properties"),
                    )
        # Version 3 may be unknown; a server that accepts the request has made such a table.
        reply = request_creation(
            lab, lab.make_namespace(), lab.name(), properties={"format-version": "3"}
        )
        if reply.status == 200:
            expect.member(3, reply.place("metadata", "format-version"))
        for version in (1, 3) if lab.feature("stage-create") and lab.feature("format-v3") else ():
            with case():
                version_property = {"format-version": str(version)}
                stage = request_creation(
                    lab,
                    lab.make_namespace(),
                    lab.name(),
                    properties=version_property,
                    stage_create=True,
                )
                if stage.status == 200:
                    expect.member(
                        version,
                        stage.place("metadata", "format-version"),
                        "format-version of the staged table,",
                    )


@check("IRC-TBL-CREATE-011")
def default_values_are_kept(lab: CatalogLab) -> None:
    """A column of a format version 3 table keeps its requested initial and write default."""
    upd.table_of_version(lab, 3)
    defaults: dict[str, tuple[str, Any, Any]] = {
        "amount": ("long", 5, 9007199254740993),
        "word": ("string", "before", ""),
        "flag": ("boolean", True, False),
        "day": ("date", "2024-02-29", "1969-12-31"),
        "price": ("decimal(9, 2)", "12.50", "-0.01"),
        "key": (
            "uuid",
            "0190d6b4-7ad0-7c3f-8f0e-6d2f1f0c9a51",
            "00000000-0000-4000-8000-000000000000",
        ),
    }
    fields = [
        field(n, name, kind, initial_default=initial, write_default=write)
        for n, (name, (kind, initial, write)) in enumerate(defaults.items(), start=1)
    ]
    fields.append(field(len(fields) + 1, "later", "int", write_default=0))

    with lab.judge_each("IRC-TBL-CREATE-011") as case:
        table = created(
            lab, schema=extend_schema(fields=fields), properties={"format-version": "3"}
        )
        for answer in (table, lab.load(table)):
            by_name = {one.get("name"): one for one in upd.current_schema(answer)["fields"]}
            for column in fields:
                for member in ("initial-default", "write-default"):
                    with case():
                        actual = by_name.get(column["name"], {}).get(member)
                        expect.equal(
                            column.get(member),
                            actual,
                            f"as {member} of `{column['name']}`",
                            at=answer.place("schemas"),
                        )


@check("IRC-TBL-CREATE-012")
def table_uuids_are_unique(lab: CatalogLab) -> None:
    """Each table has a valid UUID of its own, also tables of the same name and a table created
    after a drop.
    """
    home, other = lab.make_namespace(), lab.make_namespace()
    name = lab.name()
    tables = [
        lab.make_table(home, name=name),
        lab.make_table(other, name=name),
        lab.make_table(home),
        lab.make_table(home),
    ]
    for former in former_tables(lab, home):
        tables += [former, lab.make_table(home, name=former.name)]

    with lab.judge("IRC-TBL-CREATE-012") as case:
        for table in tables:
            with case():
                expect.true(
                    UUID.fullmatch(table.uuid) is not None,
                    "a UUID as `table-uuid`",
                    table.uuid,
                    at=table.place("table-uuid"),
                )
        uuids = [table.uuid.lower() for table in tables]
        expect.equal(len(uuids), len(set(uuids)), "different UUIDs:", at=None)


@check("IRC-TBL-CREATE-023")
def new_tables_are_empty(lab: CatalogLab) -> None:
    """A new table has no snapshots, no refs, no current snapshot, and `last-sequence-number` 0."""
    requests: tuple[Document, ...] = ({}, {"properties": {"format-version": "2"}})

    for request in lab.each(requests):
        table = lab.make_table(**request)
        with lab.judge_each("IRC-TBL-CREATE-023") as case:
            for answer in (table, lab.load(table)):
                metadata = answer.metadata
                with case():
                    for member in ("snapshots", "refs"):
                        with case():
                            expect.true(
                                not metadata.get(member),
                                f"no {member}",
                                metadata.get(member),
                                at=answer.place(member),
                                kind=Kind.SURPLUS,
                            )
                    current = metadata.get("current-snapshot-id")
                    at = answer.place("current-snapshot-id")
                    expect.true(
                        current in (None, -1),
                        "no current-snapshot-id, null or -1",
                        current,
                        at=at,
                        kind=Kind.SURPLUS,
                    )
                    if metadata.get("format-version") != 1 or "last-sequence-number" in metadata:
                        expect.equal(
                            0,
                            metadata.get("last-sequence-number"),
                            "last-sequence-number",
                            at=answer.place("last-sequence-number"),
                        )


@check("IRC-TBL-CREATE-025")
def unknown_delegation_mechanisms_are_ignored(lab: CatalogLab) -> None:
    """Creating a table returns 200 without access delegation and with unknown mechanisms."""
    namespace = lab.make_namespace()

    def send(mechanisms: str | None) -> Reply:
        name = lab.name()
        lab.drop_afterwards(namespace, name)
        headers = [] if mechanisms is None else [("X-Iceberg-Access-Delegation", mechanisms)]
        return lab.try_create_table(namespace, name, headers=headers)

    with lab.judge("IRC-TBL-CREATE-025") as case:
        for mechanisms in (None, "lakepact", "lakepact,other", "lakepact, other"):
            with case():
                reply = send(mechanisms)
                expect.status(reply, 200, about=f"with {mechanisms or 'no mechanism'}")


@check("IRC-GEN-028")
def both_format_versions_are_supported(lab: CatalogLab) -> None:
    """Creating tables of format version 1 and 2 returns 200."""
    namespace = lab.make_namespace()

    with lab.judge_each("IRC-GEN-028") as case:
        for version in (1, 2):
            with case():
                table = created(lab, namespace, properties={"format-version": str(version)})
                expect.member(version, table.place("format-version"), "format version")


# -- that they are created once --------------------------------------------------------------------


@check("IRC-TBL-CREATE-013")
def creating_tables_in_missing_namespaces_returns_404(lab: CatalogLab) -> None:
    """Creating a table in a missing or dropped namespace returns 404."""
    parent = lab.make_namespace()
    never: list[Namespace] = [(lab.name(),)]
    if lab.child_of(parent):
        never.append((*parent, lab.name()))

    with lab.judge_each("IRC-TBL-CREATE-013") as case:
        for namespace in chain(never, former_namespaces(lab)):
            with case():
                reply = request_creation(lab, namespace, lab.name())
                expect.not_found(reply, "namespace")


@check("IRC-TBL-CREATE-014")
def creating_existing_tables_returns_409(lab: CatalogLab) -> None:
    """Creating an existing table returns 409, with the same or another schema, and changes
    nothing.
    """
    table = lab.append(lab.make_table(properties={"lakepact.note": "first"}))
    before = lab.load(table)
    again: tuple[Document, ...] = (
        {},
        {"schema": OTHER_SCHEMA},
        {"properties": {"lakepact.note": "second"}},
        {"stage_create": False},
    )

    with lab.judge_each("IRC-TBL-CREATE-014") as case:
        for request in again:
            with case():
                reply = lab.try_create_table(table.namespace, table.name, **request)
                expect.status(reply, 409, mutation=Wrong.PRESENT("table"))
                states.expect_no_change(lab, before)


@check("IRC-TBL-CREATE-024", alone=True)
def concurrent_creates_have_one_winner(lab: CatalogLab) -> None:
    """When many clients create the same table concurrently, exactly one gets 200, the others get
    409, and the table is the winner's.
    """
    namespace = lab.make_namespace()
    for _ in lab.each(lab.repeat(ROUNDS)):
        name = lab.name()
        lab.drop_afterwards(namespace, name)
        requests = [
            lab.table_request(
                name,
                schema=extend_schema(fields=[field(1, f"c{n}", "long")]),
                properties={"lakepact.creator": str(n)},
            )
            for n in range(AT_ONCE)
        ]
        replies = lab.concurrently(
            [
                partial(lab.send, op.create_table, namespace=namespace, body=request)
                for request in requests
            ]
        )
        with lab.judge("IRC-TBL-CREATE-024"):
            winner = sole_winner(replies, what="creations")
            table = Table(namespace, name, replies[winner])
            load = lab.send(op.load_table, **table.at)
            expect.status(load, 200)
            now = Table(namespace, name, load)
            expect.member(
                table.uuid, now.place("table-uuid"), "the table-uuid in the winner's response,"
            )
            creator = states.properties_of(now).get("lakepact.creator")
            if (
                creator is not None
            ):  # otherwise properties are not stored, and do not show the winner
                expect.equal(
                    str(winner),
                    creator,
                    "the winner's property",
                    at=now.place("properties", "lakepact.creator"),
                )
            expect.equal(
                [f"c{winner}"],
                list(upd.columns(upd.current_schema(now))),
                "the winner's columns",
                at=now.place("schemas"),
            )
