"""Names of shares, schemas and tables: their characters, and requests by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from urllib.parse import quote

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Document,
    Exchange,
    NotOffered,
    OperationId,
    Place,
    Placed,
    Reply,
    SharedTable,
    SharingLab,
    Wrong,
    check,
    expect,
    invariant,
    op,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import (
    OF_NAMES,
    OF_TABLES,
    OPERATIONS,
    essence,
    lower,
)
from lakepact.conformance.checks.delta_sharing.kit.listings import items_in
from lakepact.conformance.evidence.exchanges import NO_OPERATION

#: Checks that ask for every kind of listing.
LISTED = (
    "listings.shares.get_share_equals_the_listing",
    "listings.tables.all_tables_are_those_of_the_schemas",
)

LONGEST = 255  #: characters of a name

#: The kind of object that a name has in a listing or answer.
KINDS = {
    op.list_shares: "share",
    op.get_share: "share",
    op.list_schemas: "schema",
    op.list_tables: "table",
    op.list_all_tables: "table",
}

MOST_SHARES = 4  #: whose tables are requested in another letter case
MOST_HARD = 16  #: requested tables with special characters in their names


def own_names(exchange: Exchange) -> Iterator[tuple[str, str, Place]]:
    """Return kind, name and place of the name of each item of an answer."""
    kind = KINDS.get(exchange.operation or NO_OPERATION)
    for item in _items(exchange):
        name = item.get("name")
        if kind and isinstance(name, str):
            yield kind, name, item.place("name")


def names(exchange: Exchange) -> Iterator[tuple[str, str, Place]]:
    """Yield the same for every member of an item that names something."""
    yield from own_names(exchange)
    for item in _items(exchange):
        yield from (
            (kind, item[kind], item.place(kind))
            for kind in ("share", "schema")
            if isinstance(item.get(kind), str)
        )


def _items(exchange: Exchange) -> Iterator[Placed]:
    yield from items_in(exchange) or ()
    if (
        exchange.operation == op.get_share
        and exchange.status == 200
        and isinstance(exchange.json, dict)
    ):
        share = exchange.json.get("share")
        if isinstance(share, dict):
            yield Placed(share, Place(exchange, "/body/share"))


#: Forbidden names, by requirement: (kind, name) → whether it is forbidden.
FORBIDDEN: dict[str, Callable[[str, str], bool]] = {
    "DS-NAME-01": lambda _, name: len(name) > LONGEST,
    "DS-NAME-02": lambda _, name: " " in name,
    "DS-NAME-03": lambda _, name: "/" in name,
    "DS-NAME-04": lambda _, name: any(c < " " for c in name),
    "DS-NAME-05": lambda _, name: "\x7f" in name,
    "DS-NAME-06": lambda kind, name: kind != "share" and "." in name,
}


def _keeps(exchange: Exchange, requirement: str) -> bool:
    entries = list(own_names(exchange))
    for kind, name, at in entries:
        expect.true(
            not FORBIDDEN[requirement](kind, name),
            "another name",
            f"the {kind} {expect.excerpt(name)}",
            at=at,
        )
    return bool(entries)


@invariant("DS-NAME-01", traffic=LISTED)
def names_are_not_too_long(exchange: Exchange) -> bool:
    """No name has more than 255 characters."""
    return _keeps(exchange, "DS-NAME-01")


@invariant("DS-NAME-02", traffic=LISTED)
def names_have_no_space(exchange: Exchange) -> bool:
    """No name has a space in it."""
    return _keeps(exchange, "DS-NAME-02")


@invariant("DS-NAME-03", traffic=LISTED)
def names_have_no_slash(exchange: Exchange) -> bool:
    """No name has a slash in it."""
    return _keeps(exchange, "DS-NAME-03")


@invariant("DS-NAME-04", traffic=LISTED)
def names_have_no_control_character(exchange: Exchange) -> bool:
    """No name has a control character in it."""
    return _keeps(exchange, "DS-NAME-04")


@invariant("DS-NAME-05", traffic=LISTED)
def names_have_no_delete_character(exchange: Exchange) -> bool:
    """No name has the DELETE character in it."""
    return _keeps(exchange, "DS-NAME-05")


@invariant("DS-NAME-06", traffic=LISTED)
def schemas_and_tables_have_no_period(exchange: Exchange) -> bool:
    """No name of a schema or a table has a period in it."""
    return _keeps(exchange, "DS-NAME-06")


@invariant("DS-NAME-07", traffic=LISTED)
def siblings_differ_in_more_than_case(exchange: Exchange) -> bool:
    """No two items of a page have names that differ only in the case of letters."""
    items = items_in(exchange)
    if not items:
        return False
    names_by_key: dict[tuple[str, str], str] = {}
    for item in items:
        name = str(item.get("name"))
        first = names_by_key.setdefault((lower(str(item.get("schema", ""))), lower(name)), name)
        expect.true(
            first == name,
            f"no name that differs from {expect.excerpt(first)} in case alone",
            name,
            at=item.place("name"),
        )
    return True


@invariant("DS-NAME-08", traffic=LISTED)
def listed_names_obey_the_rules(exchange: Exchange) -> bool:
    """The share and the schema that an item names keep the rules for names, as its own name
    does.
    """
    entries = list(names(exchange))
    for kind, name, at in entries:
        requirement = next((r for r, forbids in FORBIDDEN.items() if forbids(kind, name)), None)
        is_right = requirement is None and name != ""
        expect.true(
            is_right,
            f"a name that keeps {requirement or 'the rules'}",
            f"the {kind} {expect.excerpt(name)}",
            at=at,
        )
    return bool(entries)


# -- requests by name ------------------------------------------------------------------------------


def some_tables(lab: SharingLab) -> list[SharedTable]:
    """Return one table of each of some shares, names in upper case first."""
    by_share: dict[str, SharedTable] = {}
    for table in sorted(
        lab.tables(), key=lambda t: -sum(name != lower(name) for name in t.address.values())
    ):
        by_share.setdefault(table.share, table)
    return list(by_share.values())[:MOST_SHARES]


def _spellings(table: SharedTable) -> Iterator[Document]:
    """Yield the address of a table in other cases of its ASCII letters."""
    swaps: tuple[Callable[[bytes], bytes], ...] = (bytes.upper, bytes.lower, bytes.swapcase)
    spellings = [
        {member: swap(text.encode()).decode() for member, text in table.address.items()}
        for swap in swaps
    ]
    for index, spelling in enumerate(spellings):
        if spelling != table.address and spelling not in spellings[:index]:
            yield spelling


@check("DS-GEN-13")
def names_are_case_insensitive(lab: SharingLab) -> None:
    """Every operation finds share, schema and table in any letter case."""
    for table in lab.each(some_tables(lab)):
        for operation, arguments in lab.each(OF_NAMES.items()):
            if not lab.offers(operation):
                continue
            more = OF_TABLES.get(operation, {})
            plain = lab.send(
                operation,
                headers=[EITHER_FORMAT],
                **{a: table.address[a] for a in arguments},
                **more,
            )
            for address in lab.each(_spellings(table)):
                with lab.judge("DS-GEN-13"):
                    reply = lab.send(
                        operation,
                        headers=[EITHER_FORMAT],
                        **{a: address[a] for a in arguments},
                        **more,
                    )
                    about = f"for {operation} of {'.'.join(address[a] for a in arguments)}"
                    expect.status(reply, plain.status, about=about)
                    expect.equal(
                        essence(plain),
                        essence(reply),
                        f"the same answer {about}:",
                        at=reply.place(),
                    )
                if _spelling(plain) != _spelling(reply):
                    lab.warn(
                        "DS-GEN-13",
                        expected=f"names as they are {about}",
                        actual=f"names as the caller spells them: {reply.summary}",
                    )


def _spelling(reply: Reply) -> list[tuple[str, str]]:
    return sorted((kind, name) for kind, name, _ in names(reply.exchange))


@check("DS-GEN-14")
def names_are_decoded_once(lab: SharingLab) -> None:
    """A percent-encoded name is found, and a doubly encoded one is not."""
    for table in lab.each(some_tables(lab)):
        address = table.address
        once, twice = (
            {a: encode(name) for a, name in address.items()}
            for encode in (_encode, lambda name: quote(_encode(name)))
        )
        with lab.judge("DS-GEN-14") as case:
            reply = lab.send_raw(
                "GET", _path_of(op.get_table_version, once), operation=op.get_table_version
            )
            expect.status(reply, 200, about="for a name in percent-encoding")
            for operation in OF_NAMES:
                if OPERATIONS[operation].method == "GET" and lab.offers(operation):
                    with case(Wrong.ABSENT("table")):
                        reply = lab.send_raw("GET", _path_of(operation, twice), operation=operation)
                        expect.status(
                            reply,
                            400,
                            404,
                            about=f"for {operation} of a name that is encoded twice",
                        )


def _path_of(operation: OperationId, segments: Mapping[str, str]) -> str:
    """Return the path of an operation with percent-encoded names."""
    query = "?startingVersion=0" if operation == op.query_table_changes else ""
    return OPERATIONS[operation].path.format(**segments) + query


@check("DS-GEN-14")
def special_characters_are_found(lab: SharingLab) -> None:
    """Every share, schema and table of the fixture pack is found by its name, with any special
    characters.
    """
    with lab.judge_each("DS-GEN-14") as case:
        for share in lab.manifest.shares:
            with case():
                expect.status(lab.send(op.get_share, share=share["name"]), 200)
                for schema in share["schemas"]:
                    with case():
                        at = {"share": share["name"], "schema": schema["name"]}
                        expect.status(lab.send(op.list_tables, **at), 200)
                        for table in schema["tables"]:
                            if (
                                table["name"] != lower(table["name"])
                                or not table["name"].isidentifier()
                            ):
                                with case():
                                    expect.status(
                                        lab.send(op.get_table_version, **at, table=table["name"]),
                                        200,
                                    )


@check("DS-GEN-14")
def special_characters_are_found_by_every_operation(lab: SharingLab) -> None:
    """A table that one operation finds by its name is found by all others."""
    hard = [
        t for t in lab.outline.tables if any(not _is_plain(name) for name in t.address.values())
    ][:MOST_HARD]
    if not hard:
        raise NotOffered(
            "no table has a name of other characters than letters, digits and underscores"
        )

    others = [
        t
        for t in lab.tables()
        if all(_is_plain(name) for name in t.address.values())
        and not t.changes
        and "url" in t.access_modes
    ]
    for operation in lab.each((op.get_table_metadata, op.query_table, op.query_table_changes)):
        send = partial(lab.send, operation, headers=[EITHER_FORMAT], **OF_TABLES[operation])
        # Changes that were not recorded may be reported as missing, for any spelling.
        if not lab.offers(operation) or not others or send(**others[0].address).status == 404:
            continue
        for table in lab.each(hard):
            if (
                "url" in table.access_modes
                and lab.send(op.get_table_version, **table.address).status == 200
            ):
                with lab.judge("DS-GEN-14"):
                    reply = send(**table.address)
                    what = (
                        f"another answer than 404 for {operation} of"
                        f" {'.'.join(table.address.values())}, whose version is answered"
                    )
                    expect.serves(reply, reply.status != 404, what)
    if not lab.verdicts:
        raise NotOffered("no operation can be compared")


def _is_plain(name: str) -> bool:
    return name.isascii() and name.replace("_", "a").isalnum()


@check("DS-GEN-14")
def unreserved_characters_need_no_encoding(lab: SharingLab) -> None:
    """A plus, an ampersand and other characters that a path may hold stand for themselves."""
    safe = "+&=;~!$'()*,:@"
    tables = [
        table
        for table in lab.tables()
        if any(character in safe for name in table.address.values() for character in name)
    ]
    if not tables:
        raise NotOffered("no name has such a character")

    with lab.judge_each("DS-GEN-14") as case:
        for table in tables:
            with case():
                path = "/shares/{share}/schemas/{schema}/tables/{table}/version".format(
                    **{
                        parameter: quote(name, safe=safe)
                        for parameter, name in table.address.items()
                    }
                )
                expect.status(
                    lab.send_raw("GET", path, operation=op.get_table_version),
                    200,
                    about=f"for {path}",
                )


def _encode(name: str) -> str:
    return "".join(f"%{byte:02X}" for byte in name.encode())
