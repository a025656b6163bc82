"""How a client reads listings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
    from lakepact.conformance.clients.listener import Answer
    from lakepact.conformance.clients.scripted_server import Forward, Request, Script

LISTINGS = frozenset({op.list_namespaces, op.list_tables, op.list_views})
TOKEN = "next-page-token"  # noqa: S105 - a member, not a secret


def ending(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Script:
    """Return a catalog whose last pages are changed."""

    def script(request: Request, forward: Forward) -> Answer:
        answer = forward(request)
        if request.operation not in LISTINGS or answer.status != 200 or answer.document.get(TOKEN):
            return answer
        return answer.with_document(change(answer.document))

    return script


#: Spellings of the last page.
ENDS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "null": lambda page: {**page, TOKEN: None},
    "absent": lambda page: {name: value for name, value in page.items() if name != TOKEN},
}


@check("IRC-PAG-006")
def listings_end(lab: CatalogClientLab) -> None:
    """A client lists all tables, whether `next-page-token` of the last page is null or missing."""
    names = [f"t{n}" for n in range(5)]
    home = lab.namespace(*names)
    read = {how: lab.performs("list-tables", ending(change), namespace=home).ended for how, change in ENDS.items()}
    if not any(ended.prints(names) for ended in read.values()):
        raise Blocked(f"the client returned no tables for any ending of a listing: {' / '.join(ended.shown for ended in read.values())}")
    with lab.judge_each("IRC-PAG-006") as case:
        for how, ended in read.items():
            with case():
                expect.true(
                    ended.prints(names), f"the tables {expect.shown(names)} where {TOKEN} is {how} in the end", ended.outcome, at=None
                )
