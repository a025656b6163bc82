"""Listings, in pages and at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from lakepact.conformance.clients.iceberg_rest.api import (
    Answer,
    Blocked,
    CatalogClientLab,
    Document,
    Forward,
    Performance,
    Request,
    Script,
    Unmet,
    check,
    error,
    expect,
    op,
)
from lakepact.conformance.clients.iceberg_rest.kit.scripts import BODIES
from lakepact.conformance.programs.scripted_server import MOST_REQUESTS

LISTINGS = frozenset({op.list_namespaces, op.list_tables, op.list_views})
TOKEN = "next-page-token"  # noqa: S105 - a member, not a secret
NAMES = [f"t{n}" for n in range(7)]
SIZE = 2
ODD = "a+b/c==&d=1%2F 'é'|"  #: the beginning of tokens; they are opaque
MEMBERS = ("identifiers", "namespaces")
LATER_REFUSALS = (
    (401, "NotAuthorizedException"),
    (403, "ForbiddenException"),
    (404, "NoSuchNamespaceException"),
    (419, "AuthenticationTimeoutException"),
)
SERVER_ERRORS = ((500, "InternalServerError"), (503, "SlowDownException"))


@dataclass(frozen=True)
class Pages:
    """The pages of a catalog's listings, of two items each.

    Args:
        empty: places of empty pages, which have a token.
        repeats: whether every page has the same token.
        later: the answer to requests for the second page.
    """

    empty: frozenset[int] = frozenset()
    repeats: bool = False
    later: Answer | None = None

    def script(self, request: Request, forward: Forward) -> Answer:
        """Answer a request for a listing with a page."""
        if request.operation not in LISTINGS:
            return forward(request)
        path, _, query = request.target.partition("?")
        parameters = dict(parse_qsl(query, keep_blank_values=True))
        token = parameters.get("pageToken", "")
        answer = forward(_whole(request, path, parameters))
        if answer.status != 200:
            return answer
        document = answer.document
        (member,) = [name for name in MEMBERS if name in document]
        number = _number(token)
        if number is None:
            return error(400, "BadRequestException")
        if number and self.later is not None:
            return self.later
        start = SIZE * (number - sum(place < number for place in self.empty))
        page = [] if number in self.empty else document[member][start : start + SIZE]
        is_last = number not in self.empty and start + SIZE >= len(document[member])
        following = f"{ODD}1" if self.repeats else None if is_last else f"{ODD}{number + 1}"
        return answer.with_document({**document, member: page, TOKEN: following})


def _whole(request: Request, path: str, parameters: dict[str, str]) -> Request:
    others = {
        name: value for name, value in parameters.items() if name not in {"pageToken", "pageSize"}
    }
    return request.at(f"{path}?{urlencode(others)}" if others else path)


def _number(token: str) -> int | None:
    """Return the number of the page that a token leads to; None for a token that was never
    returned.
    """
    if not token:
        return 0
    rest = token.removeprefix(ODD)
    return int(rest) if rest != token and rest.isdigit() else None


def _began_with_token(performance: Performance) -> bool:
    listings = [exchange for exchange in performance.exchanges if exchange.operation in LISTINGS]
    return bool(listings) and "pageToken" in dict(
        parse_qsl(urlsplit(listings[0].url).query, keep_blank_values=True)
    )


def _lists(lab: CatalogClientLab, pages: Pages, home: list[str]) -> Performance:
    return lab.performs("list-tables", pages.script, namespace=home)


def _namespace_of_tables(lab: CatalogClientLab) -> list[str]:
    """Return a namespace with several tables, after the client has listed one with a single
    table.
    """
    lab.does("list-tables", NAMES[:1], namespace=lab.namespace(*NAMES[:1]))
    return lab.namespace(*NAMES)


def _complete(performance: Performance, how: str) -> None:
    performance.meets(performance.prints(NAMES), f"the tables {expect.excerpt(NAMES)} {how}")


@check("IRC-CLI-006", "IRC-CLI-007")
def pages_are_followed(lab: CatalogClientLab) -> None:
    """A client that sends `pageToken` lists the items of all pages; a client that does not lists
    them all, or reports an error.
    """
    home = _namespace_of_tables(lab)
    views = lab.namespace()
    for name in NAMES:
        lab.view(views, name)
    children = [lab.namespace(within=home, name=name) for name in NAMES]
    tasks: tuple[tuple[str, list[str], Any], ...] = (
        ("list-tables", home, NAMES),
        ("list-views", views, NAMES),
        ("list-child-namespaces", home, children),
    )
    performances = [
        (lab.tries(task, Pages().script, namespace=where, parent=where), items)
        for task, where, items in tasks
    ]
    for requirement, with_token in lab.each((("IRC-CLI-006", True), ("IRC-CLI-007", False))):
        without = f"the client {'asks for no' if with_token else 'asks for'} pages"
        with lab.judge_each(requirement, without=without) as case:
            for performance, items in performances:
                if performance is not None and _began_with_token(performance) is with_token:
                    with case():
                        lab.show(performance)
                        if performance.is_done or with_token:
                            how = (
                                f"{expect.excerpt(items)} of {len(NAMES) // SIZE + 1}"
                                f" pages{'' if with_token else ', or an error'}"
                            )
                            performance.meets(performance.prints(items), how)


@check("IRC-CLI-008", "IRC-CLI-009")
def unusual_pages(lab: CatalogClientLab) -> None:
    """A client reads on after an empty page with a token, and stops if a server repeats its
    `next-page-token`.
    """
    home = _namespace_of_tables(lab)
    if not _lists(lab, Pages(), home).prints(NAMES):
        raise Blocked("the client does not follow pages")
    with lab.judge_each("IRC-CLI-008") as case:
        for empty in ({0}, {1}, {1, 2}):
            with case():
                _complete(
                    _lists(lab, Pages(empty=frozenset(empty)), home),
                    f"where pages {sorted(empty)} are empty",
                )
    with lab.judge("IRC-CLI-009"):
        performance = _lists(lab, Pages(repeats=True), home)
        if performance.is_late or len(performance.exchanges) >= MOST_REQUESTS:
            what = (
                f"fewer than {MOST_REQUESTS} requests to a server that always returns the same"
                f" {TOKEN}"
            )
            raise Unmet(what, f"{len(performance.exchanges)} requests; {performance.text}")


@check("IRC-CLI-003")
def refused_pages(lab: CatalogClientLab) -> None:
    """A client reports an error if the second page of a listing returns 4xx or 5xx, whatever the
    body.
    """
    home = _namespace_of_tables(lab)
    if not _lists(lab, Pages(), home).prints(NAMES):
        raise Blocked("the client does not follow pages")
    answers: list[tuple[str, Answer]] = [
        (str(status), error(status, kind)) for status, kind in LATER_REFUSALS + SERVER_ERRORS
    ]
    answers += [(f"404 with {how}", change(error(404))) for how, change in BODIES.items()]
    with lab.judge_each("IRC-CLI-003") as case:
        for how, answer in answers:
            with case():
                performance = _lists(lab, Pages(later=answer), home)
                performance.expect_refusal(f"the second page was answered with {how}")


@check("IRC-CLI-010")
def namespaces_below_a_parent(lab: CatalogClientLab) -> None:
    """A client that lists namespaces below a parent of one or two levels returns each with all its
    levels.
    """
    top = lab.namespace()
    middle = lab.namespace(within=top)
    lowest = lab.namespace(within=middle)
    with lab.judge_each("IRC-CLI-010") as case:
        for parent, child in ((top, middle), (middle, lowest)):
            with case():
                actual: Any = lab.performs("list-child-namespaces", parent=parent).result
                expect.equal([child], actual, f"the namespaces below {expect.excerpt(parent)}:")


def ending(change: Callable[[Document], Document]) -> Script:
    """Return a catalog whose last pages are changed."""

    def script(request: Request, forward: Forward) -> Answer:
        answer = forward(request)
        if request.operation not in LISTINGS or answer.status != 200 or answer.document.get(TOKEN):
            return answer
        return answer.with_document(change(answer.document))

    return script


#: Spellings of the last page.
ENDS: dict[str, Callable[[Document], Document]] = {
    "null": lambda page: {**page, TOKEN: None},
    "absent": lambda page: {name: value for name, value in page.items() if name != TOKEN},
}


@check("IRC-PAG-006")
def listings_end(lab: CatalogClientLab) -> None:
    """A client lists all tables, whether `next-page-token` of the last page is null or missing."""
    names = [f"t{n}" for n in range(5)]
    home = lab.namespace(*names)
    read = {
        how: lab.performs("list-tables", ending(change), namespace=home)
        for how, change in ENDS.items()
    }
    if not any(performance.prints(names) for performance in read.values()):
        raise Blocked(
            "the client returned no tables for any ending of a listing:"
            f" {' / '.join(performance.text for performance in read.values())}"
        )
    with lab.judge_each("IRC-PAG-006") as case:
        for how, performance in read.items():
            with case():
                performance.meets(
                    performance.prints(names),
                    f"the tables {expect.excerpt(names)} where {TOKEN} is {how} in the end",
                )
