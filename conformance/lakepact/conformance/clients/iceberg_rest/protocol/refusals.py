"""Requests that return 4xx or 5xx, and commits whose outcome is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.clients.iceberg_rest.kit.repeated_commits import is_not_repeated
from lakepact.conformance.clients.iceberg_rest.kit.scripts import answering, error
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.evidence.outcome import Blocked, NotOffered
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab

LISTING_REFUSED = ((403, "ForbiddenException"), (404, "NoSuchNamespaceException"), (500, "InternalServerError"))
COMMIT_REFUSED = ((409, "CommitFailedException"), (403, "ForbiddenException"))
UNKNOWN_OUTCOMES = ((500, "CommitStateUnknownException"), (502, "CommitStateUnknownException"), (504, "CommitStateUnknownException"))
#: Errors of loading a table that may exist.
OTHER_ERRORS = ((403, "ForbiddenException"), (500, "InternalServerError"), (503, "SlowDownException"))


@check("IRC-CLI-003")
def refused_requests_are_reported(lab: CatalogClientLab) -> None:
    """A client reports an error for a listing that returns 403, 404 or 500."""
    home = lab.namespace("t")
    lab.does("list-tables", ["t"], namespace=home)
    with lab.judge("IRC-CLI-003"):
        for status, kind in LISTING_REFUSED:
            refused = lab.performs("list-tables", answering(op.list_tables, error(status, kind)), namespace=home)
            refused.is_refused(f"listTables was answered with {status}")


@check("IRC-CLI-003", "IRC-CLI-004")
def refused_commits_are_reported(lab: CatalogClientLab) -> None:
    """A client reports an error for a commit that returns 409 or 403, and loads the table before it repeats one after 500, 502 or 504."""
    home = lab.namespace("t")
    lab.does("set-properties", namespace=home, table="t", updates={"lakepact.first": "1"})
    with lab.judge("IRC-CLI-003"):
        for status, kind in COMMIT_REFUSED:
            script = answering(op.update_table, error(status, kind))
            refused = lab.performs("set-properties", script, namespace=home, table="t", updates={"lakepact.refused": str(status)})
            if refused.of(op.update_table):
                refused.is_refused(f"its commit was answered with {status}")
    with lab.judge("IRC-CLI-004"):
        for status, kind in UNKNOWN_OUTCOMES:
            script = answering(op.update_table, error(status, kind), is_done=True)
            is_not_repeated(
                lab.performs("set-properties", script, namespace=home, table="t", updates={"lakepact.unknown": str(status)}), status
            )


@check("IRC-CLI-054")
def kinds_of_errors(lab: CatalogClientLab) -> None:
    """A client reports a table that returns 404 by another error than one that returns 403, 500 or 503."""
    arguments: dict[str, Any] = {"namespace": lab.namespace("t"), "table": "t"}
    lab.does("load-table", **arguments)

    def kind(status: int, name: str) -> str:
        done = lab.performs("load-table", answering(op.load_table, error(status, name)), **arguments)
        return done.ended.error

    missing = kind(404, "NoSuchTableException")
    if not missing:
        raise Blocked("the client reports no error for a table that does not exist")
    others = {status: kind(status, name) for status, name in OTHER_ERRORS}
    if {*others.values()} == {missing}:
        raise NotOffered("the client has one type of error for all refusals")
    with lab.judge_each("IRC-CLI-054") as case:
        for status, other in others.items():
            with case():
                expect.true(other != missing, f"another error for {status} than for 404", missing, at=None)
