"""Commits that meet a newer state of their table."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from lakepact.conformance.clients.iceberg_rest.commits.references import BRANCH, set_reference
from lakepact.conformance.clients.iceberg_rest.kit.grown_tables import TABLE, grown
from lakepact.conformance.clients.iceberg_rest.kit.repeated_commits import COMMITS
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.evidence.outcome import Blocked, NotOffered
from lakepact.conformance.judging import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.conformance.clients.iceberg_rest.kit.grown_tables import GrownTable
    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
    from lakepact.conformance.clients.listener import Answer
    from lakepact.conformance.clients.scripted_server import Forward, Request, Script

OWN: list[dict[str, Any]] = [{"id": 10, "data": "own"}]
OTHER: list[dict[str, Any]] = [{"id": 11, "data": "other"}]


def overtaken(lab: CatalogClientLab, task: str, **arguments: Any) -> Script:
    """Return a catalog whose table changes just before the client's first commit: another client performs a task."""
    begun = threading.Event()

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation in COMMITS and not begun.is_set():
            begun.set()
            other = lab.performs(task, **arguments)
            if not other.ended.is_done:
                raise Blocked(f"the other client fails: {other.ended.shown}")
        return forward(request)

    return script


def _ids(lab: CatalogClientLab, table: GrownTable, task: str, **arguments: Any) -> list[int]:
    """Return the ids of the rows that a client reads."""
    rows = lab.performs(task, **table.where, **arguments).result
    return sorted(row["id"] for row in rows)


def _appends(lab: CatalogClientLab, task: str, read: Callable[[GrownTable], list[int]], **arguments: Any) -> None:
    """Expect the rows of both appends, or of the other client alone if the client reports that its append failed."""
    table = grown(lab)
    lab.commit(table.namespace, TABLE, set_reference(BRANCH, "branch", table.ids[-1]))
    before = read(table)
    added = [row["id"] for row in OTHER]
    other = overtaken(lab, task, **table.where, **arguments, rows=OTHER)
    done = lab.performs(task, other, **table.where, **arguments, rows=OWN)
    own = [row["id"] for row in OWN] if done.ended.is_done else []
    how = "which succeeded" if done.ended.is_done else "which failed"
    expected = sorted([*before, *own, *added])
    expect.equal(expected, read(table), f"ids of the rows after {task}, {how}, and the commit of another client before it:", at=None)


@check("IRC-CLI-044")
def concurrent_appends(lab: CatalogClientLab) -> None:
    """A client whose append meets another commit keeps the rows of both, or reports an error and keeps those of the other."""
    lab.does("read-rows", [], namespace=lab.namespace("t"), table="t")
    with lab.judge("IRC-CLI-044"):
        _appends(lab, "append-rows", lambda table: _ids(lab, table, "read-rows"))


@check("IRC-CLI-044")
def concurrent_appends_to_branches(lab: CatalogClientLab) -> None:
    """A client whose append to a branch meets another commit keeps the rows of both, or reports an error."""
    with lab.judge("IRC-CLI-044"):
        _appends(lab, "append-rows-to-branch", lambda table: _ids(lab, table, "read-rows-at-ref", ref=BRANCH), branch=BRANCH)


@check("IRC-CLI-044")
def concurrent_new_columns(lab: CatalogClientLab) -> None:
    """A client whose new column meets another commit keeps both columns with different field ids, or reports an error."""
    home = lab.namespace(TABLE)
    where: dict[str, Any] = {"namespace": home, "table": TABLE}
    done = lab.performs("add-column", overtaken(lab, "add-column", **where, column="other"), **where, column="own")
    if not done.of(*COMMITS):
        raise NotOffered("the client does not commit by updateTable")
    with lab.judge("IRC-CLI-044"):
        metadata = lab.stored(**where)["metadata"]
        schema = next(schema for schema in metadata["schemas"] if schema["schema-id"] == metadata["current-schema-id"])
        expected = ["data", "id", "other", *(["own"] if done.ended.is_done else [])]
        expect.equal(expected, sorted(field["name"] for field in schema["fields"]), "columns after two clients added one each:", at=None)
        ids = [field["id"] for field in schema["fields"]]
        expect.equal(sorted(set(ids)), sorted(ids), "field ids:", at=None)
