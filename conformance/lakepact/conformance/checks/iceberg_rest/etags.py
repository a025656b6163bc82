"""Checks of conditional loading that hold for servers with ETags and for those without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.lab import set_properties
from lakepact.conformance.checks.iceberg_rest.suite import check, law
from lakepact.conformance.wire import Reply

if TYPE_CHECKING:
    from lakepact.conformance.checks.iceberg_rest.lab import CatalogLab
    from lakepact.conformance.wire import Exchange

#: ETags that no server gave out; the last is none at all.
INVENTED = ('"lakepact"', 'W/"lakepact"', '"lakepact", W/"other"', '""', '"0"', "lakepact")


@law("IRC-TBL-ETAG-011")
def unconditional_loads_are_answered(exchange: Exchange) -> bool:
    """Loading a table is not answered with 304 unless the request says If-None-Match."""
    conditional = any(name.lower() == "if-none-match" for name, _ in exchange.request_headers)
    if exchange.operation != "loadTable" or exchange.method != "GET" or conditional:
        return False
    expect.true(exchange.status != 304, "no 304 status without If-None-Match", Reply(exchange).shown)
    return True


@check("IRC-TBL-ETAG-008")
def invented_tags_match_nothing(lab: CatalogLab) -> None:
    """A table is loaded whole by whoever sends an ETag that was never given out, before and after it has changed."""
    table = lab.make_table()

    with lab.judge("IRC-TBL-ETAG-008"):
        for turn in ("1", "2"):
            lab.committed(table, set_properties(**{"lakepact.turn": turn}))
            for tag in INVENTED:
                reply = lab.send("loadTable", headers=[("If-None-Match", tag)], **table.at)
                expect.status(reply, 200, about=f"with If-None-Match: {tag}")
                expect.equal(table.uuid, reply.at("metadata", "table-uuid"), "table-uuid")
                expect.equal(turn, reply.at("metadata", "properties").get("lakepact.turn"), "property lakepact.turn")


@check("IRC-TBL-ETAG-009")
def absent_tables_match_nothing(lab: CatalogLab) -> None:
    """A table that does not exist is a 404 whatever ETag is sent, also the one that it had before it was dropped."""
    table = lab.make_table()
    given = lab.load(table).reply.headers.get("etag")
    lab.works(lab.send("dropTable", **table.at))
    places: tuple[dict[str, Any], ...] = (table.at, {**table.at, "table": lab.name()}, {**table.at, "namespace": (lab.name(),)})

    with lab.judge("IRC-TBL-ETAG-009"):
        for at in places:
            for tag in (*INVENTED, "*", *([given] if given else [])):
                reply = lab.send("loadTable", headers=[("If-None-Match", tag)], **at)
                expect.status(reply, 404, about=f"with If-None-Match: {tag}")
