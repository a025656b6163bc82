"""Listings of the tables of a schema and of a share."""

from __future__ import annotations

import stat
from collections import Counter
from urllib.parse import unquote, urlsplit

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Document,
    Exchange,
    Kind,
    Members,
    NotOffered,
    Placed,
    SharedTable,
    SharingLab,
    check,
    expect,
    invariant,
    ndjson,
    op,
    place_of,
)
from lakepact.conformance.checks.delta_sharing.kit.listings import Listing, items_in, key, keys

NAMES = ("name", "schema", "share")
MEMBERS = (*NAMES, "id", "shareId", "location", "auxiliaryLocations", "accessModes")
MODES = frozenset({"url", "dir"})

MOST_SHARES = 8  #: whose listings are compared
MOST_TABLES = 12  #: that are read


def tables(exchange: Exchange) -> list[Placed]:
    """Return the tables that an answer lists."""
    return (
        (items_in(exchange) or [])
        if exchange.operation in {op.list_tables, op.list_all_tables}
        else []
    )


def _expect_names(table: Placed) -> None:
    for member in NAMES:
        expect.true(
            isinstance(table.get(member), str),
            f"a text as `{member}`",
            table,
            at=table.place(member),
            kind=Kind.TYPE,
        )


@invariant("DS-LTB-01", traffic=("listings.tables.all_tables_are_those_of_the_schemas",))
def tables_have_name_schema_and_share(exchange: Exchange) -> bool:
    """Every listed table has its name, its schema and its share."""
    items = tables(exchange)
    for table in items:
        _expect_names(table)
    return bool(items)


@invariant("DS-LTB-05", traffic=("listings.tables.all_tables_are_those_of_the_schemas",))
def directory_tables_have_a_location(exchange: Exchange) -> bool:
    """A table with the access mode dir has a location."""
    items = [
        table
        for table in tables(exchange)
        if isinstance(table.get("accessModes"), list) and "dir" in table["accessModes"]
    ]
    for table in items:
        has_location = isinstance(table.get("location"), str) and table["location"] != ""
        expect.true(
            has_location, "a location", table, at=table.place("location"), kind=Kind.MISSING
        )
    return bool(items)


@invariant("DS-LTB-06", traffic=("listings.tables.all_tables_are_those_of_the_schemas",))
def auxiliary_locations_are_strings(exchange: Exchange) -> bool:
    """Auxiliary locations are an array of strings."""
    values = ndjson.members(tables(exchange), "auxiliaryLocations")
    for at, value in values:
        expect.true(ndjson.texts(value), "an array of texts", value, at=at)
    return bool(values)


@invariant("DS-LTB-10", traffic=("listings.tables.all_tables_are_those_of_the_schemas",))
def access_modes_are_known(exchange: Exchange) -> bool:
    """Access modes are url, dir or both."""
    values = ndjson.members(tables(exchange), "accessModes")
    for at, modes in values:
        are_valid = isinstance(modes, list) and bool(modes) and all(m in MODES for m in modes)
        expect.true(are_valid, "url, dir or both in an array", modes, at=at)
    return bool(values)


@invariant("DS-LAT-02", traffic=("listings.tables.all_tables_are_those_of_the_schemas",))
def tables_of_a_share_have_the_same_form(exchange: Exchange) -> bool:
    """A table that is listed with all of its share is written like one that is listed with its
    schema.
    """
    items = tables(exchange) if exchange.operation == op.list_all_tables else []
    for table in items:
        _expect_names(table)
        for member in ("id", "shareId", "location"):
            is_right = isinstance(table.get(member, ""), str | None)
            expect.true(
                is_right,
                f"a text as `{member}`, or no such member",
                table,
                at=table.place(member),
                kind=Kind.TYPE,
            )
        are_right = ndjson.texts(table.get("auxiliaryLocations") or [])
        at = table.place("auxiliaryLocations")
        expect.true(are_right, "an array of texts as `auxiliaryLocations`", table, at=at)
    return bool(items)


# -- ids -------------------------------------------------------------------------------------------


@check("DS-LTB-02", "DS-LTB-03")
def table_ids_are_unique_and_stable(lab: SharingLab) -> None:
    """The id of a table is unique and the same in both listings; the id of its share is the same
    for all its tables.
    """
    share_ids: Document = {}
    has_ids = False
    for share in lab.each(lab.outline.shares[:MOST_SHARES]):
        items = Listing(lab, op.list_all_tables, {"share": share["name"]}).everything()
        with_id = [table for table in items if table.get("id") is not None]
        if with_id:
            has_ids = True
            with lab.judge("DS-LTB-02") as case:
                twice = [
                    table_id
                    for table_id, count in Counter(str(table["id"]) for table in with_id).items()
                    if count > 1
                ]
                expect.equal(
                    [], twice, f"ids of several tables of {share['name']}:", at=None
                )  # on several pages
                schema = str(with_id[0].get("schema"))
                again = {
                    key(table): table
                    for table in Listing(
                        lab, op.list_tables, {"share": share["name"], "schema": schema}
                    ).everything()
                }
                for table in with_id:
                    if key(table) in again:
                        with case():
                            in_schema = again[key(table)]
                            subject = f"the id of {table.get('name')}, listed with its schema:"
                            expect.equal(
                                table["id"],
                                in_schema.get("id"),
                                subject,
                                at=in_schema.place("id"),
                            )
        ids = {str(value): at for at, value in ndjson.members(items, "shareId")}
        if ids:
            with lab.judge("DS-LTB-03"):
                expect.equal(
                    1, len(ids), f"share ids of the tables of {share['name']}:", at=None
                )  # on several pages
                ((share_id, at),) = ids.items()
                is_new = share_id not in share_ids
                expect.true(
                    is_new, f"another share id than {share_ids.get(share_id)} has", share_id, at=at
                )
                share_ids[share_id] = share["name"]
                if share.get("id") is not None:
                    expect.equal(
                        share["id"],
                        share_id,
                        f"the share id of the tables of {share['name']}:",
                        at=at,
                    )
    if not has_ids:
        lab.skip("DS-LTB-02", "no table has an id")
    if not share_ids:
        lab.skip("DS-LTB-03", "no table has a share id")


# -- listed tables ---------------------------------------------------------------------------------


@check("DS-LTB-13")
def exactly_the_tables_of_a_schema_are_listed(lab: SharingLab) -> None:
    """Each schema of the fixture pack lists exactly its tables; listing a missing schema or share
    returns 404.
    """
    for share in lab.each(lab.manifest.shares):
        for schema in lab.each(share["schemas"]):
            with lab.judge("DS-LTB-13"):
                actual = Listing(
                    lab, op.list_tables, {"share": share["name"], "schema": schema["name"]}
                ).items()
                expected = [
                    {"schema": schema["name"], "name": table["name"]} for table in schema["tables"]
                ]
                expect.equal(
                    keys(expected),
                    keys(actual),
                    f"tables of {share['name']}.{schema['name']}:",
                    at=None,
                )  # on several pages
    share_name, schema_name = lab.schemas()[0]
    with lab.judge("DS-LTB-13"):
        expect.not_found(
            lab.send(op.list_tables, share=share_name, schema=lab.name()),
            "schema",
            about="for a schema that does not exist",
        )
        expect.not_found(
            lab.send(op.list_tables, share=lab.name(), schema=schema_name),
            "share",
            about="for a share that does not exist",
        )


@check("DS-LAT-01")
def all_tables_are_those_of_the_schemas(lab: SharingLab) -> None:
    """Listing all tables of a share returns the tables of each of its schemas."""
    for share in lab.each(lab.shares()[:MOST_SHARES]):
        schemas = [
            schema for share_of_schema, schema in lab.outline.schemas if share_of_schema == share
        ]
        if len(schemas) > 2 * MOST_SHARES:
            continue
        by_schema = [
            table
            for schema in schemas
            for table in Listing(
                lab, op.list_tables, {"share": share, "schema": schema}
            ).everything()
        ]
        with lab.judge("DS-LAT-01") as case:
            all_tables = Listing(lab, op.list_all_tables, {"share": share}).everything()
            expect.equal(
                keys(by_schema), keys(all_tables), f"tables of {share}:", at=None
            )  # on several pages
            documents = {key(table): table for table in all_tables}
            for table in by_schema:
                with case():
                    entry = documents[key(table)]
                    subject = f"in the listing of all tables of {share}:"
                    expect.equal(_members(table), _members(entry), subject, at=entry.place())


def _members(table: Document) -> Document:
    """Return the protocol's members of a listed table; only one listing may have others."""
    return {member: table[member] for member in MEMBERS if table.get(member) is not None}


@check("DS-LTB-04")
def locations_hold_the_log(lab: SharingLab) -> None:
    """The location of a table of the fixture pack is the folder that holds its log."""
    expected = {
        lab.fixture(name).address["table"]: lab.fixture(name).location
        for name in lab.manifest.tables
    }
    candidates = [
        t
        for t in lab.tables()
        if t.name in expected
        and t.document.get("location")
        and t.share == lab.fixture(t.name).address["share"]
    ]
    if not candidates:
        raise NotOffered("no table of the fixture pack has a location")

    with lab.judge_each("DS-LTB-04") as case:
        for table in candidates:
            with case():
                item = _item_of(lab, table)
                location, at = str(item.get("location")), place_of(item, "location")
                split = urlsplit(location)
                expect.equal(
                    expected[table.name].name,
                    unquote(split.path).rstrip("/").rpartition("/")[2],
                    f"the last segment of the location of {table.name}:",
                    at=at,
                )
                if split.scheme == "file" and lab.target.shared_files.folder:
                    expect.true(
                        stat.S_ISDIR(
                            lab.target.shared_files.at(f"{unquote(location)}/_delta_log").mode()
                        ),
                        "a directory with a _delta_log",
                        location,
                        at=at,
                    )


def _item_of(lab: SharingLab, table: SharedTable) -> Members:
    """Return the item of a table on a page of a listing."""
    pages = Listing(lab, op.list_tables, {"share": table.share, "schema": table.schema}).pages()
    return next(
        (item for page in pages for item in page.items if item.get("name") == table.name),
        table.document,
    )


# -- access modes ----------------------------------------------------------------------------------


@check("DS-LTB-11")
def access_modes_work(lab: SharingLab) -> None:
    """A table with the access mode url can be queried, and one with dir has credentials."""
    with_modes = [t for t in lab.tables() if t.document.get("accessModes")]
    by_url = [t for t in with_modes if "url" in t.access_modes] + [
        t for t in lab.tables() if not t.document.get("accessModes")
    ]
    with lab.judge_each("DS-LTB-11") as case:
        for table in by_url[:MOST_TABLES]:
            with case():
                reply = lab.send(
                    op.query_table, body={"limitHint": 1}, headers=[EITHER_FORMAT], **table.address
                )
                expect.status(reply, 200, about=f"for a query of {table.name}")
        for table in [t for t in with_modes if "dir" in t.access_modes][:MOST_TABLES]:
            with case():
                reply = lab.send(op.generate_temporary_table_credentials, body={}, **table.address)
                expect.status(reply, 200, about=f"for credentials of {table.name}")


@check("DS-LTB-07")
def auxiliary_locations_have_credentials(lab: SharingLab) -> None:
    """Credentials are given for each auxiliary location of a table that is read by directory."""
    locations = [
        (table, location)
        for table in lab.tables()
        if "dir" in table.access_modes and ndjson.texts(table.document.get("auxiliaryLocations"))
        for location in table.document["auxiliaryLocations"]
    ]
    if not locations:
        raise NotOffered("no table that is read by directory has an auxiliary location")

    with lab.judge_each("DS-LTB-07") as case:
        for table, location in locations:
            with case():
                reply = lab.send(
                    op.generate_temporary_table_credentials,
                    body={"location": location},
                    **table.address,
                )
                expect.status(reply, 200, about=f"for the auxiliary location of {table.name}")


@check("DS-LTB-08", "DS-LAT-03")
def shares_may_mix_access_modes(lab: SharingLab) -> None:
    """Tables of one share may have different access modes and auxiliary locations."""
    modes = {(t.share, t.access_modes) for t in lab.tables()}
    differ = len(modes) > len({share for share, _ in modes})
    lab.note(
        "DS-LAT-03",
        "tables of one share differ in their access modes"
        if differ
        else "all tables of a share are read alike",
    )
    elsewhere = [t.name for t in lab.tables() if t.document.get("auxiliaryLocations")]
    lab.note(
        "DS-LTB-08",
        f"{', '.join(elsewhere)} has auxiliary locations"
        if elsewhere
        else "no table has auxiliary locations",
    )
