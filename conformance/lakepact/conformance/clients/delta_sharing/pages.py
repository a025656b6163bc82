"""Listings in pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from lakepact.conformance.clients.delta_sharing.listings import TOKEN
from lakepact.conformance.clients.delta_sharing.scripts import LISTINGS
from lakepact.conformance.clients.delta_sharing.suite import check
from lakepact.conformance.clients.listener import Answer
from lakepact.conformance.clients.scripted_server import MOST_REQUESTS
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.judging import expect

if TYPE_CHECKING:
    from lakepact.conformance.clients.delta_sharing.lab import SharingClientLab
    from lakepact.conformance.clients.lab import Performance
    from lakepact.conformance.clients.scripted_server import Forward, Request

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
