"""Listings of shares, and single shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from lakepact.conformance.checks.delta_sharing.api import (
    Exchange,
    Kind,
    Place,
    Placed,
    Reply,
    SharingLab,
    check,
    expect,
    invariant,
    ndjson,
    op,
)
from lakepact.conformance.checks.delta_sharing.kit.listings import Listing, items_in

MEMBERS = ("name", "id", "displayName", "comment", "properties")

MOST_SHARES = 20  #: that are requested one by one

LONGEST_NAME, LONGEST_COMMENT = 255, 65536
MOST_PROPERTIES, LONGEST_KEY, LONGEST_VALUE = 50, 255, 1000


def shares(exchange: Exchange) -> list[Placed]:
    """Return the shares that an answer describes."""
    if (
        exchange.operation == op.get_share
        and exchange.status == 200
        and isinstance(exchange.json, dict)
    ):
        share = exchange.json.get("share")
        return [Placed(share, Place(exchange, "/body/share"))] if isinstance(share, dict) else []
    return (items_in(exchange) or []) if exchange.operation == op.list_shares else []


def _member(exchange: Exchange, member: str, holds: Callable[[Any], bool], what: str) -> bool:
    """Return whether shares have a member, and expect its values to hold."""
    values = ndjson.members(shares(exchange), member)
    for at, value in values:
        expect.true(holds(value), f"`{member}` as {what}", value, at=at)
    return bool(values)


@invariant("DS-SHR-01", traffic=("listings.shares.get_share_equals_the_listing",))
def shares_have_names(exchange: Exchange) -> bool:
    """Every share has a string as its name."""
    items = shares(exchange)
    for share in items:
        expect.true(
            isinstance(share.get("name"), str),
            "a text as `name`",
            share,
            at=share.place("name"),
            kind=Kind.TYPE,
        )
    return bool(items)


@invariant("DS-SHR-03", traffic=("listings.shares.get_share_equals_the_listing",))
def display_names_are_short_strings(exchange: Exchange) -> bool:
    """A display name is a string of at most 255 characters."""
    return _member(
        exchange,
        "displayName",
        lambda v: isinstance(v, str) and len(v) <= LONGEST_NAME,
        "a text of at most 255 characters",
    )


@invariant("DS-SHR-04", traffic=("listings.shares.get_share_equals_the_listing",))
def comments_are_strings(exchange: Exchange) -> bool:
    """A comment is a string of at most 65536 characters."""
    return _member(
        exchange,
        "comment",
        lambda v: isinstance(v, str) and len(v) <= LONGEST_COMMENT,
        "a text of at most 65536 characters",
    )


@invariant("DS-SHR-05", traffic=("listings.shares.get_share_equals_the_listing",))
def properties_are_strings_by_name(exchange: Exchange) -> bool:
    """Properties are at most 50 strings by name, within their length limits."""

    def holds(value: Any) -> bool:
        if not isinstance(value, dict) or len(value) > MOST_PROPERTIES:
            return False
        return all(
            len(k) <= LONGEST_KEY and isinstance(v, str) and len(v) <= LONGEST_VALUE
            for k, v in value.items()
        )

    return _member(exchange, "properties", holds, "at most 50 texts by name")


@invariant("DS-GSH-01")
def get_share_returns_the_member_share(exchange: Exchange) -> bool:
    """The response to getShare has the share as `share`."""
    if exchange.operation != op.get_share or exchange.method != "GET" or exchange.status != 200:
        return False
    reply = Reply(exchange)
    expect.true(
        isinstance(reply.at("share"), dict),
        '`{"share": {…}}` as the body',
        reply.summary,
        at=reply.place("share"),
        kind=Kind.TYPE,
    )
    return True


@check("DS-GSH-01", "DS-GSH-02")
def get_share_equals_the_listing(lab: SharingLab) -> None:
    """Requesting a listed share by name returns the same members as the listing."""
    for share in lab.each(lab.outline.shares[:MOST_SHARES]):
        reply = lab.send(op.get_share, share=share["name"])
        with lab.judge("DS-GSH-01"):
            expect.status(reply, 200, about=f"for {share['name']}")
            reply.at("share", "name")
        lab.require(reply, 200)
        with lab.judge("DS-GSH-02") as case:
            document = reply.at("share")
            for member in MEMBERS:
                with case():
                    expect.equal(
                        share.get(member),
                        document.get(member),
                        f"`{member}` of {share['name']}:",
                        at=reply.place("share", member),
                    )
    lab.shares()


@check("DS-GSH-03")
def missing_shares_return_404(lab: SharingLab) -> None:
    """Requesting a missing share returns 404."""
    with lab.judge("DS-GSH-03"):
        expect.not_found(lab.send(op.get_share, share=lab.name()), "share")


@check("DS-SHR-02")
def share_ids_are_unique_and_stable(lab: SharingLab) -> None:
    """The id of a share is unique and the same in every response."""
    first = Listing(lab, op.list_shares, {}).everything()
    again = Listing(lab, op.list_shares, {}).everything()
    ids = {
        share["name"]: share["id"]
        for share in first
        if isinstance(share.get("name"), str) and share.get("id") is not None
    }
    if not ids:
        lab.skip("DS-SHR-02", "no share has an id")
        return

    with lab.judge("DS-SHR-02") as case:
        twice = [
            share_id for share_id, count in Counter(map(str, ids.values())).items() if count > 1
        ]
        expect.equal([], twice, "ids of several shares:", at=None)  # on several pages
        for name, identifier in list(ids.items())[:MOST_SHARES]:
            with case():
                entries = [share for share in again if share.get("name") == name]
                at = entries[0].place("id") if entries else None
                expect.equal(
                    [identifier],
                    [share.get("id") for share in entries],
                    f"the id of {name}, listed again:",
                    at=at,
                )
                reply = lab.require(lab.send(op.get_share, share=name), 200)
                document = reply.document.get("share")
                if not isinstance(document, dict):
                    raise expect.unmet(
                        f"the share {name}",
                        expect.excerpt(document),
                        at=reply.place("share"),
                        kind=Kind.TYPE,
                    )
                at = reply.place("share", "id")
                expect.equal(
                    identifier,
                    document.get("id"),
                    f"the id of {name}, asked for by its name:",
                    at=at,
                )
