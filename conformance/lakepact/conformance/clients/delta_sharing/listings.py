"""Listings and queries, with and without pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote

from lakepact.conformance.clients.delta_sharing.answers import END, WITH_END, asks_for
from lakepact.conformance.clients.delta_sharing.api import (
    ROWS,
    Answer,
    Document,
    Forward,
    NotOffered,
    Performance,
    Request,
    Script,
    SharingClientLab,
    Unmet,
    check,
    expect,
    op,
    same_rows,
)
from lakepact.conformance.clients.delta_sharing.lab import expect_rows
from lakepact.conformance.clients.delta_sharing.scripts import LISTINGS, in_lines, listing
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.programs.scripted_server import MOST_REQUESTS

TOKEN = "nextPageToken"  # noqa: S105 - a member, not a secret
SUFFIX = " of 50%41.é"  #: characters that paths encode, or that separate names
LONG = 5000  #: characters, more than any text of a share may have


def _ends_empty(request: Request, page: Document) -> Document:
    del request
    return {**page, TOKEN: page.get(TOKEN) or ""}


def _ends_absent(request: Request, page: Document) -> Document:
    del request
    return (
        page if page.get(TOKEN) else {name: value for name, value in page.items() if name != TOKEN}
    )


def _judge_spellings(
    lab: SharingClientLab, requirement: str, spellings: Mapping[str, Script], tables: Sequence[str]
) -> None:
    """Expect the same tables for each spelling of a listing.

    Raises:
        Blocked: the client lists the tables for no spelling.
    """
    read = {how: lab.performs("list-tables", script) for how, script in spellings.items()}
    if not any(performance.prints(tables) for performance in read.values()):
        raise Blocked(
            f"the client does not list tables: {' / '.join(performance.text for performance in read.values())}"
        )
    with lab.judge_each(requirement) as case:
        for how, performance in read.items():
            with case():
                performance.meets(performance.prints(tables), f"{len(tables)} tables {how}")


@check("DS-PAG-10")
def listings_end(lab: SharingClientLab) -> None:
    """A client lists all tables, whether `nextPageToken` of the last page is empty or missing."""
    tables = [table for share in lab.catalogue().values() for table in share]
    spellings = {
        f"where {TOKEN} is empty in the end": listing(_ends_empty),
        f"where {TOKEN} is missing in the end": listing(_ends_absent),
    }
    _judge_spellings(lab, "DS-PAG-10", spellings, tables)


@check("DS-PAG-12")
def empty_listings(lab: SharingClientLab) -> None:
    """A client lists no tables of a share whose listing has empty `items` or none, and all tables
    of the other shares.
    """
    catalogue = lab.catalogue()
    empty_share = next(reversed(catalogue))
    tables = [table for share, its in catalogue.items() if share != empty_share for table in its]

    def without_items(page: Document) -> Script:
        def change(request: Request, document: Document) -> Document:
            return page if f"/shares/{empty_share}/" in request.target else document

        return listing(change)

    spellings = {
        "where another share has items []": without_items({"items": []}),
        "where another share has no items": without_items({}),
    }
    _judge_spellings(lab, "DS-PAG-12", spellings, tables)


@check("DS-SHR-06")
def overlong_strings(lab: SharingClientLab) -> None:
    """A client lists all tables of shares whose `displayName`, `comment` and `properties` exceed
    their lengths.
    """
    tables = [table for share in lab.catalogue().values() for table in share]
    lab.does("list-tables", tables)
    texts = {
        "displayName": "d" * LONG,
        "comment": "c" * LONG,
        "properties": {f"p{n}": "v" * LONG for n in range(3)},
    }

    def change(request: Request, page: Document) -> Document:
        if request.operation != op.list_shares:
            return page
        return {**page, "items": [{**share, **texts} for share in page.get("items", [])]}

    with lab.judge("DS-SHR-06"):
        performance = lab.performs("list-tables", listing(change))
        performance.meets(performance.prints(tables), f"{len(tables)} tables")


def with_suffix(request: Request, forward: Forward) -> Answer:
    """Answer as a server whose shares, schemas and tables have names that end with `SUFFIX`."""
    path, mark, query = request.target.partition("?")
    steps = path.split("/")
    for number in range(2, len(steps), 2):  # each name follows a word
        name = unquote(steps[number])
        if not name.endswith(SUFFIX):
            return Answer(
                404, body=b'{"errorCode":"RESOURCE_DOES_NOT_EXIST","message":"no such name"}'
            )
        steps[number] = quote(name.removesuffix(SUFFIX), safe="")

    def change(_: Request, page: Document) -> Document:
        names = ("name", "share", "schema")
        return {
            **page,
            "items": [
                item | {key: item[key] + SUFFIX for key in names if key in item}
                for item in page.get("items", [])
            ],
        }

    return listing(change)(request.at("/".join(steps) + mark + query), forward)


@check("DS-CLI-23")
def names(lab: SharingClientLab) -> None:
    """A client lists and reads tables whose share, schema and table have dots, spaces and percent
    signs in their names.
    """
    lab.does("list-tables", [table for share in lab.catalogue().values() for table in share])
    _, rows = lab.reads()
    levels = [name + SUFFIX for name in lab.pack.tables[ROWS].address.values()]
    expected = [table for share in lab.catalogue(SUFFIX).values() for table in share]
    with lab.judge_each("DS-CLI-23") as case:
        with case():
            performance = lab.performs("list-tables", with_suffix)
            performance.meets(performance.prints(expected), f"the {len(expected)} tables")
        if (reading := lab.tries("read-table-by-names", with_suffix, names=levels)) is not None:
            with case():
                same_rows(reading, rows, f"named {expect.excerpt(levels)}")


SIZE = 5  #: items of a page
ODD = "a+b/c==&d=1%2F|"  #: the beginning of tokens, which are opaque


@dataclass(frozen=True)
class Pages:
    """The pages of a server's listings.

    Args:
        empty: places of empty pages, which have a token.
        repeats: whether every page has the same token.
    """

    empty: frozenset[int] = frozenset()
    repeats: bool = False

    def script(self, request: Request, forward: Forward) -> Answer:
        """Answer a request for a listing with a page."""
        path, _, query = request.target.partition("?")
        if request.operation not in LISTINGS:
            return forward(request)
        token = dict(parse_qsl(query, keep_blank_values=True)).get("pageToken", "")
        answer = forward(request.at(path))
        number = (
            int(token.removeprefix(ODD))
            if token.startswith(ODD) and token.removeprefix(ODD).isdigit()
            else 0
        )
        if token and not number:
            return Answer(
                400,
                body=(
                    b'{"errorCode":"INVALID_PARAMETER_VALUE","message":"not a token of this'
                    b' server"}'
                ),
            )
        if answer.status != 200:
            return answer
        items = answer.document.get("items", [])
        start = SIZE * (number - sum(place < number for place in self.empty))
        page = [] if number in self.empty else items[start : start + SIZE]
        is_last = number not in self.empty and start + SIZE >= len(items)
        following = f"{ODD}1" if self.repeats else None if is_last else f"{ODD}{number + 1}"
        return answer.with_document({"items": page, **({TOKEN: following} if following else {})})


def _complete(performance: Performance, tables: list[str], how: str) -> None:
    performance.meets(performance.prints(tables), f"{len(tables)} tables {how}")


@check("DS-CLI-01", "DS-CLI-02", "DS-CLI-03")
def pages_are_followed(lab: SharingClientLab) -> None:
    """A client lists the tables of all pages, also after an empty page, and stops if a server
    repeats its `nextPageToken`.
    """
    tables = [table for share in lab.catalogue().values() for table in share]
    lab.does("list-tables", tables)
    with lab.judge("DS-CLI-01"):
        _complete(lab.performs("list-tables", Pages().script), tables, f"of pages of {SIZE}")
    with lab.judge_each("DS-CLI-02") as case:
        for empty in ({0}, {1, 2}):
            with case():
                performance = lab.performs("list-tables", Pages(empty=frozenset(empty)).script)
                _complete(performance, tables, f"where pages {sorted(empty)} are empty")
    with lab.judge("DS-CLI-03"):
        performance = lab.performs("list-tables", Pages(repeats=True).script)
        if performance.is_late or len(performance.exchanges) >= MOST_REQUESTS:
            what = (
                f"fewer than {MOST_REQUESTS} requests to a server that always returns the same"
                f" {TOKEN}"
            )
            raise Unmet(what, f"{len(performance.exchanges)} requests; {performance.text}")


QUERY_TOKEN = "page 2/é+="  # noqa: S105 - of a page


def halves(request: Request, forward: Forward) -> Answer:
    """Answer as a server that returns the files of a table on two pages."""
    document = request.document if isinstance(request.document, dict) else {}
    is_second = document.get("pageToken") == QUERY_TOKEN

    def page(lines: list[Document]) -> list[Document]:
        files = [line for line in lines if "file" in line]
        half = files[len(files) // 2 :] if is_second else files[: len(files) // 2]
        others = [line for line in lines if line in half or not ("file" in line or END in line)]
        return [*others, {END: {} if is_second else {"nextPageToken": QUERY_TOKEN}}]

    return in_lines(page, op.query_table, capabilities=WITH_END)(request, forward)


@check("DS-CLI-19")
def paged_queries(lab: SharingClientLab) -> None:
    """A client that gets a `nextPageToken` in an endStreamAction returns the rows of both pages, or
    reports an error.
    """
    table, rows = lab.reads()
    if not asks_for(
        lab.performs("read-table", table=table), "includeendstreamaction", "true", op.query_table
    ):
        raise NotOffered(f"the client does not ask for an {END}")
    with lab.judge("DS-CLI-19"):
        performance = lab.performs("read-table", halves, table=table)
        if performance.is_done:
            expect_rows(performance.result, rows, "whose files are on two pages")
