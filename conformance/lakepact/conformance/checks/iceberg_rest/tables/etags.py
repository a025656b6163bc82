"""Checks of ETags and conditional loading; the first ones hold for servers without ETags too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from lakepact.conformance.checks.iceberg_rest.api import (
    Blocked,
    CatalogLab,
    Document,
    Exchange,
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
    states,
)

#: How RFC 9110 spells an ETag.
ENTITY_TAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')


#: ETags that no server gave out, in double quotes as RFC 9110 spells them.
INVENTED = ('"lakepact"', 'W/"lakepact"', '"lakepact", W/"other"', '""', '"0"')


@invariant("IRC-TBL-ETAG-011")
def loads_without_if_none_match_return_no_304(exchange: Exchange) -> bool:
    """Loading a table without If-None-Match does not return 304."""
    if (
        exchange.operation != op.load_table
        or exchange.method != "GET"
        or exchange.status not in {200, 304}
    ):
        return False
    if any(name.lower() == "if-none-match" for name, _ in exchange.request_headers):
        return False
    if exchange.status == 304:
        raise expect.unmet(
            "no 304 status without If-None-Match",
            Reply(exchange).summary,
            at=Place(exchange, "/status"),
        )
    return True


@check("IRC-TBL-ETAG-008")
def unknown_etags_return_200(lab: CatalogLab) -> None:
    """Loading a table with an ETag that the server never issued returns 200 with the full table."""
    table = lab.make_table()

    with lab.judge_each("IRC-TBL-ETAG-008") as case:
        for turn in ("1", "2"):
            lab.commit(table, set_properties(**{"lakepact.turn": turn}))
            for tag in INVENTED:
                with case():
                    reply = lab.send(op.load_table, headers=[("If-None-Match", tag)], **table.at)
                    expect.status(reply, 200, about=f"with If-None-Match: {tag}")
                    expect.member(table.uuid, reply.place("metadata", "table-uuid"))
                    expect.equal(
                        turn,
                        reply.at("metadata", "properties").get("lakepact.turn"),
                        "property lakepact.turn",
                        at=reply.place("metadata", "properties", "lakepact.turn"),
                    )


@check("IRC-TBL-ETAG-009")
def conditional_loads_of_missing_tables_return_404(lab: CatalogLab) -> None:
    """Loading a missing or dropped table returns 404 for any ETag, its former one included."""
    table = lab.make_table()
    etag = lab.load(table).reply.headers.get("etag")
    never: tuple[Document, ...] = (
        {**table.at, "table": lab.name()},
        {**table.at, "namespace": (lab.name(),)},
    )

    def former() -> Iterator[Document]:
        if lab.offers(op.drop_table):
            lab.drop_table(**table.at)
            yield table.at

    with lab.judge_each("IRC-TBL-ETAG-009") as case:
        for at in chain(never, former()):
            for tag in (*INVENTED, "*", *([etag] if etag else [])):
                with case():
                    reply = lab.send(op.load_table, headers=[("If-None-Match", tag)], **at)
                    # the contract sends ETags alone: `*` may return 400
                    others = (400,) if tag == "*" else ()
                    expect.not_found(reply, "table", *others, about=f"with If-None-Match: {tag}")


def tag_of(reply: Reply) -> str:
    """Return the ETag of an answer.

    Raises:
        Blocked: it has none.
    """
    tag: str | None = reply.headers.get("etag")
    if tag is None:
        raise Blocked(
            f"{reply.exchange.method} {reply.exchange.operation} was answered without an ETag"
        )
    return tag


def opaque(tag: str) -> str:
    """Return an ETag without what its form alone says: that it is weak, and the coding of its
    representation.
    """
    return tag.removeprefix("W/").strip('"').removesuffix("-gzip")


def load_with_etag(
    lab: CatalogLab, table: Table, tag: str, *, snapshots: str | None = None
) -> Reply:
    """Return the answer to loading a table with an ETag in If-None-Match, read to the end of its
    connection.
    """
    return lab.send(
        op.load_table, snapshots=snapshots, headers=[("If-None-Match", tag)], alone=True, **table.at
    )


def register_again(lab: CatalogLab, table: Table) -> Reply | None:
    """Return the answer to registering a table again that was dropped with its files left; none
    where the target does not do that.
    """
    location = lab.load(table).metadata_location
    if location is None or not lab.offers(op.register_table):
        return None
    if lab.send(op.drop_table, **table.at).status not in {200, 204}:
        return None
    body = {"name": table.name, "metadata-location": location}
    reply = lab.send(op.register_table, namespace=table.namespace, body=body)
    return reply if reply.status == 200 else None


@check("IRC-TBL-ETAG-001")
def etags_are_quoted(lab: CatalogLab) -> None:
    """ETags of created, loaded and registered tables are in double quotes, with W/ before them if
    they are weak.
    """
    table = lab.make_table()
    replies = [
        table.reply,
        lab.load(table).reply,
        lab.send(op.load_table, snapshots="refs", **table.at),
        register_again(lab, table),
    ]
    tags = [
        reply.headers["etag"] for reply in replies if reply is not None and "etag" in reply.headers
    ]
    odd = [tag for tag in tags if not ENTITY_TAG.fullmatch(tag)]

    if odd:
        lab.warn(
            "IRC-TBL-ETAG-001",
            expected='an ETag such as "…" or W/"…", in double quotes',
            actual=", ".join(odd),
        )
    else:
        lab.note("IRC-TBL-ETAG-001", f"such as {tags[0]}" if tags else "no ETag")


@check("IRC-TBL-ETAG-002", "IRC-TBL-ETAG-003")
def unchanged_tables_may_return_304(lab: CatalogLab) -> None:
    """A load with the current ETag returns 200 or 304; a 304 has no body and the table has not
    changed.
    """
    table = lab.make_table()
    times = 0

    for turn in lab.each(range(3)):
        for snapshots in lab.each((None, "all", "refs")):
            if snapshots and not lab.feature("snapshots-refs"):
                continue
            before = lab.require(lab.send(op.load_table, snapshots=snapshots, **table.at), 200)
            tag = tag_of(before)
            for value in lab.each((tag, f'"lakepact", {tag}')):
                reply = load_with_etag(lab, table, value, snapshots=snapshots)
                if reply.status not in {200, 304}:
                    lab.warn(
                        "IRC-TBL-ETAG-002",
                        expected=f"status 304 or 200 with If-None-Match: {value}",
                        actual=reply.summary,
                        expected_status=(200, 304),
                    )
                if reply.status != 304:
                    continue
                times += 1
                now = lab.require(lab.send(op.load_table, snapshots=snapshots, **table.at), 200)
                with lab.judge("IRC-TBL-ETAG-003"):
                    expect.no_body(reply)
                    states.assert_same_table(
                        lab,
                        table.in_reply(before),
                        table.in_reply(now),
                    )
        table = (
            lab.append(table)
            if turn
            else lab.commit(table, set_properties(**{"lakepact.turn": "1"}))
        )
    lab.note(
        "IRC-TBL-ETAG-002",
        f"answered with 304 {times} times" if times else "always answered with 200",
    )
    if not times:
        lab.skip("IRC-TBL-ETAG-003", "the target never returns 304")


@check("IRC-TBL-ETAG-004")
def commits_change_the_etag(lab: CatalogLab) -> None:
    """After every commit, a load with an earlier ETag returns 200 and another ETag."""
    table = lab.make_table(properties={"lakepact.turn": "0"})
    first = lab.snapshot(table)
    commits: dict[str, tuple[Members, ...]] = {
        "a property is changed": (set_properties(**{"lakepact.turn": "1"}),),
        "a property is changed back": (set_properties(**{"lakepact.turn": "0"}),),
        "a snapshot is added": (
            {"action": "add-snapshot", "snapshot": first},
            set_ref("main", first["snapshot-id"]),
        ),
        "a branch is made": (set_ref("audit", first["snapshot-id"]),),
    }
    tags: list[str] = [tag_of(lab.load(table).reply)]

    for change, updates in lab.each(commits.items()):
        lab.commit(table, *updates)
        with lab.judge_each("IRC-TBL-ETAG-004") as case:
            for tag in tags:
                with case():
                    reply = load_with_etag(lab, table, tag)
                    expect.status(reply, 200, about=f"after {change}, with an earlier ETag")
                    now = reply.headers.get("etag")
                    expect.true(
                        now not in tags, "another ETag than before", now, at=reply.header("etag")
                    )
        tags.append(tag_of(lab.load(table).reply))


@check("IRC-TBL-ETAG-004")
def transactions_change_the_etag(lab: CatalogLab) -> None:
    """After a transaction, a load with an earlier ETag returns 200 and another ETag."""
    table = lab.table_with_snapshot()
    ways = (None, "refs") if lab.feature("snapshots-refs") else (None,)
    tags = {
        snapshots: tag_of(
            lab.require(lab.send(op.load_table, snapshots=snapshots, **table.at), 200)
        )
        for snapshots in ways
    }
    update = set_properties(**{"lakepact.turn": "1"})
    if lab.offers(op.commit_transaction):
        change = {"identifier": table.identifier, "requirements": [], "updates": [update]}
        lab.require(lab.send(op.commit_transaction, body={"table-changes": [change]}))
    else:
        lab.commit(table, update)

    with lab.judge_each("IRC-TBL-ETAG-004") as case:
        for snapshots, tag in tags.items():
            with case():
                reply = load_with_etag(lab, table, tag, snapshots=snapshots)
                expect.status(reply, 200, about="with the earlier ETag")
                expect.true(
                    reply.headers.get("etag") != tag,
                    "another ETag than before",
                    tag,
                    at=reply.header("etag"),
                )


@check("IRC-TBL-ETAG-005")
def recreated_tables_do_not_match_old_etags(lab: CatalogLab) -> None:
    """A load of a recreated table with the ETag of the dropped one returns 200 with the new
    table.
    """
    namespace, name = lab.make_namespace(), lab.name()

    with lab.judge_each("IRC-TBL-ETAG-005") as case:
        tags: list[str] = []
        for _ in range(3):
            table = lab.make_table(namespace, name=name)
            for tag in tags:
                with case():
                    reply = load_with_etag(lab, table, tag)
                    expect.status(reply, 200, about="with the ETag of the dropped table")
                    expect.member(table.uuid, reply.place("metadata", "table-uuid"))
            tags.append(tag_of(lab.load(table).reply))
            lab.drop_table(**table.at)


@check("IRC-TBL-ETAG-006")
def create_and_load_return_the_same_etag(lab: CatalogLab) -> None:
    """Creating or registering a table returns the same ETag as loading it."""
    table = lab.make_table()

    def answers() -> Iterator[Reply | None]:
        yield table.reply
        yield register_again(lab, table)

    with lab.judge_each(
        "IRC-TBL-ETAG-006", without="the target sends no ETag with creating and registering a table"
    ) as case:
        for reply in answers():
            if reply is None or "etag" not in reply.headers:
                continue
            with case():
                etag, tag = reply.headers["etag"], tag_of(lab.load(table).reply)
                if opaque(etag) != opaque(tag) and load_with_etag(lab, table, etag).status != 304:
                    expect.equal(
                        tag,
                        etag,
                        "the ETag that loading the table returns,",
                        at=reply.header("etag"),
                    )


@check("IRC-TBL-ETAG-007")
def etags_differ_by_snapshots_parameter(lab: CatalogLab) -> None:
    """A load with snapshots=refs and the ETag of the full table returns 200, not 304."""
    table = lab.append(lab.table_with_snapshot())
    everything = tag_of(lab.require(lab.send(op.load_table, snapshots="all", **table.at), 200))
    unsaid = tag_of(lab.load(table).reply)

    with lab.judge_each("IRC-TBL-ETAG-007") as case:
        for tag in (everything, unsaid):
            with case():
                reply = load_with_etag(lab, table, tag, snapshots="refs")
                expect.status(reply, 200, about="for snapshots=refs with the ETag of all snapshots")
