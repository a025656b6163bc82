"""How a client reads listings of shares, schemas and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from lakepact.conformance.clients.delta_sharing.lab import ROWS, same_rows
from lakepact.conformance.clients.delta_sharing.scripts import listing
from lakepact.conformance.clients.delta_sharing.suite import check
from lakepact.conformance.clients.listener import Answer
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.judging import expect
from lakepact.generated.delta_sharing import op

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lakepact.conformance.clients.delta_sharing.lab import SharingClientLab
    from lakepact.conformance.clients.scripted_server import Forward, Request, Script

TOKEN = "nextPageToken"  # noqa: S105 - a member, not a secret
SUFFIX = " of 50%41.é"  #: characters that paths spell in another way, or that separate names
LONG = 5000  #: characters, more than any text of a share may have


def _ends_empty(request: Request, page: dict[str, Any]) -> dict[str, Any]:
    del request
    return {**page, TOKEN: page.get(TOKEN) or ""}


def _ends_absent(request: Request, page: dict[str, Any]) -> dict[str, Any]:
    del request
    return page if page.get(TOKEN) else {name: value for name, value in page.items() if name != TOKEN}


def _judge_spellings(lab: SharingClientLab, requirement: str, spellings: Mapping[str, Script], tables: Sequence[str]) -> None:
    """Expect the same tables for each spelling of a listing.

    Raises:
        Blocked: the client lists the tables for no spelling.
    """
    read = {how: lab.performs("list-tables", script).ended for how, script in spellings.items()}
    if not any(ended.prints(tables) for ended in read.values()):
        raise Blocked(f"the client does not list tables: {' / '.join(ended.shown for ended in read.values())}")
    with lab.judge_each(requirement) as case:
        for how, ended in read.items():
            with case():
                expect.true(ended.prints(tables), f"{len(tables)} tables {how}", ended.outcome, at=None)


@check("DS-PAG-10")
def listings_end(lab: SharingClientLab) -> None:
    """A client lists all tables, whether `nextPageToken` of the last page is empty or missing."""
    tables = [table for share in lab.catalogue().values() for table in share]
    spellings = {f"where {TOKEN} is empty in the end": listing(_ends_empty), f"where {TOKEN} is missing in the end": listing(_ends_absent)}
    _judge_spellings(lab, "DS-PAG-10", spellings, tables)


@check("DS-PAG-12")
def empty_listings(lab: SharingClientLab) -> None:
    """A client lists no tables of a share whose listing has empty `items` or none, and all tables of the other shares."""
    catalogue = lab.catalogue()
    emptied = next(reversed(catalogue))
    tables = [table for share, its in catalogue.items() if share != emptied for table in its]

    def without_items(page: dict[str, Any]) -> Script:
        def change(request: Request, listed: dict[str, Any]) -> dict[str, Any]:
            return page if f"/shares/{emptied}/" in request.target else listed

        return listing(change)

    spellings = {"where another share has items []": without_items({"items": []}), "where another share has no items": without_items({})}
    _judge_spellings(lab, "DS-PAG-12", spellings, tables)


@check("DS-SHR-06")
def overlong_strings(lab: SharingClientLab) -> None:
    """A client lists all tables of shares whose `displayName`, `comment` and `properties` exceed their lengths."""
    tables = [table for share in lab.catalogue().values() for table in share]
    lab.does("list-tables", tables)
    texts = {"displayName": "d" * LONG, "comment": "c" * LONG, "properties": {f"p{n}": "v" * LONG for n in range(3)}}

    def change(request: Request, page: dict[str, Any]) -> dict[str, Any]:
        if request.operation != op.list_shares:
            return page
        return {**page, "items": [{**share, **texts} for share in page.get("items", [])]}

    with lab.judge("DS-SHR-06"):
        ended = lab.performs("list-tables", listing(change)).ended
        expect.true(ended.prints(tables), f"{len(tables)} tables", ended.outcome, at=None)


def renamed(request: Request, forward: Forward) -> Answer:
    """Answer as a server whose shares, schemas and tables have names that end with `SUFFIX`."""
    path, mark, query = request.target.partition("?")
    steps = path.split("/")
    for number in range(2, len(steps), 2):  # each name follows a word
        name = unquote(steps[number])
        if not name.endswith(SUFFIX):
            return Answer(404, body=b'{"errorCode":"RESOURCE_DOES_NOT_EXIST","message":"no such name"}')
        steps[number] = quote(name.removesuffix(SUFFIX), safe="")

    def change(_: Request, page: dict[str, Any]) -> dict[str, Any]:
        names = ("name", "share", "schema")
        return {**page, "items": [item | {key: item[key] + SUFFIX for key in names if key in item} for item in page.get("items", [])]}

    return listing(change)(request.at("/".join(steps) + mark + query), forward)


@check("DS-CLI-23")
def names(lab: SharingClientLab) -> None:
    """A client lists and reads tables whose share, schema and table have dots, spaces and percent signs in their names."""
    lab.does("list-tables", [table for share in lab.catalogue().values() for table in share])
    _, rows = lab.reads()
    levels = [name + SUFFIX for name in lab.pack.tables[ROWS].address.values()]
    expected = [table for share in lab.catalogue(SUFFIX).values() for table in share]
    with lab.judge_each("DS-CLI-23") as case:
        with case():
            ended = lab.performs("list-tables", renamed).ended
            expect.true(ended.prints(expected), f"the {len(expected)} tables", ended.outcome, at=None)
        if (done := lab.tries("read-table-by-names", renamed, names=levels)) is not None:
            with case():
                same_rows(done.ended, rows, f"named {expect.shown(levels)}")
