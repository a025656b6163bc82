"""Authentication: requests with and without a valid token, and recipients with fewer rights."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Document,
    NotOffered,
    OperationId,
    Reply,
    SharingLab,
    Wrong,
    bearing,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import OF_NAMES, OF_TABLES, lower
from lakepact.conformance.checks.delta_sharing.kit.listings import Listing, items_of

#: Values of `Authorization` that carry no bearer token.
NO_BEARER = (
    "Basic bm9ib2R5Omxha2VwYWN0LWtub3duLXRvLW5vYm9keQ==",
    "lakepact-unknown",
    "Token lakepact-unknown",
)

#: Authorization values with an unknown token.
UNKNOWN = ("Bearer lakepact-unknown", "Bearer", "Bearer null")

#: Tokens that are numbers or UUIDs, which are the same in either case.
HEXADECIMAL = re.compile("[0-9A-Fa-f-]+")

NO_ACCESS = Wrong.ACCESS("Authorization")

MOST_TABLES = 10  #: that are asked for more than once


def requests(lab: SharingLab) -> Iterator[tuple[OperationId, Document]]:
    """Yield every operation that the target offers, with valid arguments."""
    yield op.list_shares, {}
    address = lab.table().address
    for operation, names in OF_NAMES.items():
        if lab.offers(operation):
            yield operation, {name: address[name] for name in names} | OF_TABLES.get(operation, {})


def replies_with(
    lab: SharingLab, values: Iterable[str | None]
) -> Iterator[tuple[OperationId, str, Reply]]:
    """Yield operation, description and reply for each operation with each `Authorization`."""
    for operation, arguments in requests(lab):
        for value in values:
            reply = lab.send(
                operation, headers=[EITHER_FORMAT, ("Authorization", value or "")], **arguments
            )  # empty: not sent
            yield operation, f"`Authorization: {value}`" if value else "no Authorization", reply


@check("DS-GEN-02", "DS-GEN-09")
def requests_without_a_valid_token_return_401(lab: SharingLab) -> None:
    """Every operation returns 401 without a header, with another scheme, and with an empty or
    unknown token.
    """
    for operation, what, reply in lab.each(replies_with(lab, (None, *NO_BEARER))):
        with lab.judge("DS-GEN-02"):
            expect.refusal(reply, about=f"of {operation} with {what}", mutation=NO_ACCESS)
        with lab.judge("DS-GEN-09"):
            expect.status(reply, 401, about=f"for {operation} with {what}", mutation=NO_ACCESS)
    for operation, what, reply in lab.each(replies_with(lab, UNKNOWN)):
        with lab.judge("DS-GEN-09"):
            expect.status(reply, 401, about=f"for {operation} with {what}", mutation=NO_ACCESS)


@check("DS-GEN-09")
def expired_tokens_return_401(lab: SharingLab) -> None:
    """An expired token returns 401."""
    expired = lab.recipient("expired")

    with lab.judge_each("DS-GEN-09") as case:
        for operation, arguments in requests(lab):
            with case(NO_ACCESS):
                expect.status(
                    lab.send(operation, headers=expired, **arguments),
                    401,
                    about=f"for {operation} with an expired token",
                )


@check("DS-GEN-02")
def bearer_scheme_is_case_insensitive(lab: SharingLab) -> None:
    """The scheme Bearer is accepted in any letter case."""
    token = lab.wire.caller.bearer
    if not token:
        lab.skip("DS-GEN-02", "no bearer token is known")
        return
    lab.require(lab.send(op.list_shares), 200)

    with lab.judge_each("DS-GEN-02") as case:
        for scheme in ("Bearer", "bearer", "BEARER"):
            with case():
                reply = lab.send(op.list_shares, headers=[("Authorization", f"{scheme} {token}")])
                expect.status(reply, 200, about=f"with the scheme {scheme}")


def alterations(token: str) -> dict[str, str]:
    """Return tokens that differ slightly from a valid one, by their difference."""
    tokens = {"with more behind it": f"{token}lakepact", "without its last characters": token[:-4]}
    if not HEXADECIMAL.fullmatch(token):
        tokens["in the other case"] = token.swapcase()
    return {what: other for what, other in tokens.items() if other not in {token, ""}}


@check("DS-GEN-09", "DS-GEN-02")
def altered_tokens_return_401(lab: SharingLab) -> None:
    """An altered token returns 401; a valid token that is accepted without the scheme Bearer is a
    warning.
    """
    token = lab.wire.caller.bearer
    if not token:
        for requirement in ("DS-GEN-09", "DS-GEN-02"):
            lab.skip(requirement, "no bearer token is known")
        return
    lab.require(lab.send(op.list_shares), 200)

    with lab.judge_each("DS-GEN-09") as case:
        for what, other in alterations(token).items():
            with case(NO_ACCESS):
                reply = lab.send(op.list_shares, headers=[("Authorization", f"Bearer {other}")])
                expect.status(reply, 401, about=f"for the right token {what}")
    for what, value in (("with the scheme Basic", f"Basic {token}"), ("without a scheme", token)):
        reply = lab.send(op.list_shares, headers=[("Authorization", value)])
        if reply.status != 401:
            lab.warn(
                "DS-GEN-02",
                expected=f"status 401 for the right token {what}",
                actual=f"status {reply.status}",
                expected_status=(401,),
            )
    lab.note("DS-GEN-02", "")


@check("DS-GEN-10")
def ungranted_shares_return_403_or_404(lab: SharingLab) -> None:
    """A share that only another recipient was granted returns 403 or 404, and so do its schemas and
    tables.
    """
    second = lab.recipient("second")
    share_names = (
        lab.manifest.second_sees
        if lab.knows_content
        else [str(item.get("name")) for item in _shares(lab, second)]
    )
    visible = set(map(lower, share_names))
    table = next((t for t in lab.tables() if lower(t.share) not in visible), None)
    if table is None:
        raise NotOffered("the second recipient was granted every share that has a table")
    for operation, names in lab.each(OF_NAMES.items()):
        if lab.offers(operation):
            arguments = {name: table.address[name] for name in names} | OF_TABLES.get(operation, {})
            lab.require(lab.send(operation, headers=[EITHER_FORMAT], **arguments), *range(200, 500))
            with lab.judge("DS-GEN-10"):
                reply = lab.send(operation, headers=[EITHER_FORMAT, *second], **arguments)
                mutation = Wrong.ACCESS("share")
                expect.status(
                    reply,
                    403,
                    404,
                    about=f"for {operation} in a share that was not granted",
                    mutation=mutation,
                )


def _shares(lab: SharingLab, headers: list[tuple[str, str]]) -> list[Document]:
    """Return the shares that are listed for a recipient."""
    items: list[Document] = []
    token: str | None = None
    for _ in range(100):
        reply = lab.require(lab.send(op.list_shares, headers=headers, page_token=token), 200)
        items += items_of(reply)
        token = reply.document.get("nextPageToken")
        if not token:
            break
    return items


@check("DS-LSH-01")
def exactly_the_granted_shares_are_listed(lab: SharingLab) -> None:
    """Each recipient of the fixture pack sees exactly its granted shares in the listing."""
    every = [share["name"] for share in lab.manifest.shares]

    for headers, expected in lab.each(
        (
            (bearing(lab.manifest.tokens["all"]), every),
            (lab.recipient("second"), lab.manifest.second_sees),
        )
    ):
        with lab.judge("DS-LSH-01"):
            actual = sorted(lower(str(item.get("name"))) for item in _shares(lab, headers))
            expect.equal(
                sorted(map(lower, expected)), actual, "shares", at=None
            )  # the shares may be on several pages


@check("DS-GEN-01")
def listed_tables_can_be_read(lab: SharingLab) -> None:
    """A recipient can request the version and metadata of every listed table."""
    addresses: list[tuple[list[tuple[str, str]], Document]] = [
        ([], table.address) for table in lab.outline.tables[:MOST_TABLES]
    ]
    if lab.feature("second-recipient"):
        second = lab.recipient("second")
        theirs = [
            table
            for share in _shares(lab, second)[:MOST_TABLES]
            for table in lab.require(
                lab.send(op.list_all_tables, headers=second, share=share["name"]), 200
            ).document.get("items", [])
        ]
        addresses += [(second, _address(item)) for item in theirs[:MOST_TABLES]]
    if not addresses:
        raise NotOffered("no table is listed")

    with lab.judge_each("DS-GEN-01") as case:
        for headers, address in addresses:
            for operation in (op.get_table_version, op.get_table_metadata):
                with case():
                    reply = lab.send(operation, headers=[EITHER_FORMAT, *headers], **address)
                    expect.status(
                        reply,
                        200,
                        about=f"for {operation} of {'.'.join(address.values())}, which is listed",
                    )


def _address(item: Document) -> Document:
    return {
        "share": str(item.get("share")),
        "schema": str(item.get("schema")),
        "table": str(item.get("name")),
    }


@check("DS-NAME-06")
def shares_with_a_period_are_found(lab: SharingLab) -> None:
    """A share with a period in its name can be requested and listed."""
    shares = [share for share in lab.shares() if "." in share]
    if not shares:
        raise NotOffered("no share has a period in its name")

    with lab.judge_each("DS-NAME-06") as case:
        for share in shares:
            with case():
                expect.status(lab.send(op.get_share, share=share), 200)
                Listing(lab, op.list_schemas, {"share": share}).page()
