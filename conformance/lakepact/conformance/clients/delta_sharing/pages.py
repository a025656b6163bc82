"""Listings and answers to queries in pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from lakepact.conformance.clients.delta_sharing.answers import END, WITH_END, asks_for
from lakepact.conformance.clients.delta_sharing.lab import are_rows
from lakepact.conformance.clients.delta_sharing.listings import TOKEN
from lakepact.conformance.clients.delta_sharing.scripts import LISTINGS, in_lines
from lakepact.conformance.clients.delta_sharing.suite import check
from lakepact.conformance.clients.listener import Answer
from lakepact.conformance.clients.scripted_server import MOST_REQUESTS
from lakepact.conformance.evidence.outcome import NotOffered, Unmet
from lakepact.conformance.judging import expect
from lakepact.generated.delta_sharing import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.delta_sharing.lab import SharingClientLab
    from lakepact.conformance.clients.lab import Performance
    from lakepact.conformance.clients.scripted_server import Forward, Request

    Line = dict[str, Any]

SIZE = 5  #: items of a page
ODD = "a+b/c==&d=1%2F|"  #: the beginning of tokens, which are opaque


@dataclass(frozen=True)
class Pages:
    """How a server divides its listings into pages.

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
        number = int(token.removeprefix(ODD)) if token.startswith(ODD) and token.removeprefix(ODD).isdigit() else 0
        if token and not number:
            return Answer(400, body=b'{"errorCode":"INVALID_PARAMETER_VALUE","message":"not a token of this server"}')
        if answer.status != 200:
            return answer
        items = answer.document.get("items", [])
        start = SIZE * (number - sum(place < number for place in self.empty))
        page = [] if number in self.empty else items[start : start + SIZE]
        is_last = number not in self.empty and start + SIZE >= len(items)
        following = f"{ODD}1" if self.repeats else None if is_last else f"{ODD}{number + 1}"
        return answer.with_document({"items": page, **({TOKEN: following} if following else {})})


def _complete(done: Performance, tables: list[str], how: str) -> None:
    expect.true(done.ended.prints(tables), f"{len(tables)} tables {how}", done.ended.outcome, at=None)


@check("DS-CLI-01", "DS-CLI-02", "DS-CLI-03")
def pages_are_followed(lab: SharingClientLab) -> None:
    """A client lists the tables of all pages, also after an empty page, and stops if a server repeats its `nextPageToken`."""
    tables = [table for share in lab.catalogue().values() for table in share]
    lab.does("list-tables", tables)
    with lab.judge("DS-CLI-01"):
        _complete(lab.performs("list-tables", Pages().script), tables, f"of pages of {SIZE}")
    with lab.judge_each("DS-CLI-02") as case:
        for empty in ({0}, {1, 2}):
            with case():
                done = lab.performs("list-tables", Pages(empty=frozenset(empty)).script)
                _complete(done, tables, f"where pages {sorted(empty)} are empty")
    with lab.judge("DS-CLI-03"):
        done = lab.performs("list-tables", Pages(repeats=True).script)
        if done.ended.is_late or len(done.exchanges) >= MOST_REQUESTS:
            what = f"fewer than {MOST_REQUESTS} requests to a server that always returns the same {TOKEN}"
            raise Unmet(what, f"{len(done.exchanges)} requests; {done.ended.shown}")


QUERY_TOKEN = "page 2/é+="  # noqa: S105 - of a page


def halves(request: Request, forward: Forward) -> Answer:
    """Answer as a server that returns the files of a table on two pages."""
    document = request.document if isinstance(request.document, dict) else {}
    is_second = document.get("pageToken") == QUERY_TOKEN

    def page(lines: list[Line]) -> list[Line]:
        files = [line for line in lines if "file" in line]
        half = files[len(files) // 2 :] if is_second else files[: len(files) // 2]
        kept = [line for line in lines if line in half or not ("file" in line or END in line)]
        return [*kept, {END: {} if is_second else {"nextPageToken": QUERY_TOKEN}}]

    return in_lines(page, op.query_table, capabilities=WITH_END)(request, forward)


@check("DS-CLI-19")
def paged_queries(lab: SharingClientLab) -> None:
    """A client that gets a `nextPageToken` in an endStreamAction returns the rows of both pages, or reports an error."""
    table, rows = lab.reads()
    if not asks_for(lab.performs("read-table", table=table), "includeendstreamaction", "true", op.query_table):
        raise NotOffered(f"the client does not ask for an {END}")
    with lab.judge("DS-CLI-19"):
        done = lab.performs("read-table", halves, table=table)
        if done.ended.is_done:
            are_rows(done.result, rows, "whose files are on two pages")
