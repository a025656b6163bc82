"""How a client reads listings of shares, schemas and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.clients.delta_sharing.scripts import listing
from lakepact.conformance.clients.delta_sharing.suite import check
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.judging import expect
from lakepact.generated.delta_sharing import op

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lakepact.conformance.clients.delta_sharing.lab import SharingClientLab
    from lakepact.conformance.clients.scripted_server import Request, Script

TOKEN = "nextPageToken"  # noqa: S105 - a member, not a secret
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
