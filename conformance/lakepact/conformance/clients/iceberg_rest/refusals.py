"""Handling of refusals, and of commits whose outcome is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from lakepact.conformance import expect
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.clients.listener import Answer
from lakepact.conformance.outcome import Blocked, NotOffered, Unmet
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.lab import CatalogClientLab
    from lakepact.conformance.clients.lab import Performance
    from lakepact.conformance.clients.scripted_server import Forward, Request, Script
    from lakepact.conformance.exchanges import Exchange
    from lakepact.generated.contract import OperationId

LISTING_REFUSED = ((403, "ForbiddenException"), (404, "NoSuchNamespaceException"), (500, "InternalServerError"))
COMMIT_REFUSED = ((409, "CommitFailedException"), (403, "ForbiddenException"))
NOBODY_KNOWS = ((500, "CommitStateUnknownException"), (502, "CommitStateUnknownException"), (504, "CommitStateUnknownException"))
COMMITS = frozenset({op.update_table, op.commit_transaction, op.replace_view})
LOADS = frozenset({op.load_table, op.load_view})
#: Reasons that a table is not loaded although it may exist.
OTHERWISE = ((403, "ForbiddenException"), (500, "InternalServerError"), (503, "SlowDownException"))
KEY = "idempotency-key"  #: with the same one, a commit may be sent again


def refusing(operation: OperationId, status: int, kind: str, *, is_done: bool = False) -> Script:
    """Return a catalog that answers an operation so, whether or not it has done it."""

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation != operation:
            return forward(request)
        if is_done:
            forward(request)
        return Answer(status, body=orjson.dumps({"error": {"message": "as the script says", "type": kind, "code": status}}))

    return script


@check("IRC-CLI-003")
def refused_requests_are_reported(lab: CatalogClientLab) -> None:
    """A client reports a refused request as an error."""
    home = lab.namespace("t")
    lab.does("list-tables", ["t"], namespace=home)
    with lab.judge("IRC-CLI-003"):
        for status, kind in LISTING_REFUSED:
            refused = lab.performs("list-tables", refusing(op.list_tables, status, kind), namespace=home)
            refused.is_refused(f"listTables was answered with {status}")


@check("IRC-CLI-003", "IRC-CLI-004")
def refused_commits_are_reported(lab: CatalogClientLab) -> None:
    """A client reports a refused commit, and loads the table before it resends one with unknown outcome."""
    home = lab.namespace("t")
    lab.does("set-properties", namespace=home, table="t", updates={"lakepact.first": "1"})
    with lab.judge("IRC-CLI-003"):
        for status, kind in COMMIT_REFUSED:
            script = refusing(op.update_table, status, kind)
            refused = lab.performs("set-properties", script, namespace=home, table="t", updates={"lakepact.refused": str(status)})
            if refused.of(op.update_table):
                refused.is_refused(f"its commit was answered with {status}")
    with lab.judge("IRC-CLI-004"):
        for status, kind in NOBODY_KNOWS:
            script = refusing(op.update_table, status, kind, is_done=True)
            is_not_repeated(
                lab.performs("set-properties", script, namespace=home, table="t", updates={"lakepact.unknown": str(status)}), status
            )


@check("IRC-CLI-054")
def kinds_of_errors(lab: CatalogClientLab) -> None:
    """A client reports a missing table by another error than one that cannot be loaded."""
    arguments: dict[str, Any] = {"namespace": lab.namespace("t"), "table": "t"}
    lab.does("load-table", **arguments)

    def kind(status: int, name: str) -> str:
        done = lab.performs("load-table", refusing(op.load_table, status, name), **arguments)
        return done.ended.error

    missing = kind(404, "NoSuchTableException")
    if not missing:
        raise Blocked("the client reports no error for a table that does not exist")
    others = {status: kind(status, name) for status, name in OTHERWISE}
    if {*others.values()} == {missing}:
        raise NotOffered("the client has one type of error for all refusals")
    with lab.judge_each("IRC-CLI-054") as case:
        for status, other in others.items():
            with case():
                expect.true(other != missing, f"another error for {status} than for 404", missing)


def key_of(exchange: Exchange) -> str | None:
    """Return the idempotency key of a request."""
    return next((value for name, value in exchange.request_headers if name.lower() == KEY), None)


def is_not_repeated(done: Performance, how: int | str, *, keys_are_kept: bool = True) -> None:
    """Expect that no commit is sent again before the table or view is loaded, except under an idempotency key.

    Raises:
        Unmet: one is.
        NotOffered: the client sent no commit.
    """
    if not done.of(*COMMITS):
        raise NotOffered("the client does not commit by updateTable, commitTransaction or replaceView")
    sent: set[bytes] = set()
    for exchange in done.of(*COMMITS, *LOADS):
        if exchange.operation in LOADS:
            sent.clear()
        elif exchange.request_body in sent and not (keys_are_kept and key_of(exchange)):
            raise Unmet(
                f"no second attempt at a commit before the table or view is loaded, when the answer to the first was: {how}",
                "the same commit again",
            )
        else:
            sent.add(exchange.request_body)
