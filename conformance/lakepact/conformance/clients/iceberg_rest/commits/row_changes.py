"""Rows that a client deletes, updates, upserts and overwrites, judged by the rows that are left."""

from __future__ import annotations

from typing import Any

from lakepact.conformance.clients.iceberg_rest.kit.grown_tables import TABLE
from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.clients.lab import Performance
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.judging import expect
from lakepact.conformance.programs.program import in_order

Rows = list[dict[str, Any]]


def _rows(*pairs: tuple[int, str | None]) -> Rows:
    return [{"id": number, "data": data} for number, data in pairs]


BY_DATA = {
    "spec-id": 0,
    "fields": [{"source-id": 2, "field-id": 1000, "name": "data", "transform": "identity"}],
}
#: How tables are partitioned.
LAYOUTS: dict[str, dict[str, Any]] = {
    "without partitions": {},
    "partitioned by data": {"partition-spec": BY_DATA},
}
BEFORE = _rows((1, "a"), (2, "a"), (2, "b"), (3, None))
UNIQUE = _rows((1, "a"), (3, None), (4, "b"))
#: Tasks with their arguments, the rows before them and those that are left.
CHANGES: tuple[tuple[str, dict[str, Any], Rows, Rows], ...] = (
    ("delete-rows-where", {"where": {"id": 2}}, BEFORE, _rows((1, "a"), (3, None))),
    ("delete-rows-where", {"where": {"data": "a"}}, BEFORE, _rows((2, "b"), (3, None))),
    ("delete-rows-where", {"where": {"id": 9}}, BEFORE, BEFORE),
    (
        "update-rows",
        {"where": {"id": 1}, "set": {"data": "c"}},
        BEFORE,
        _rows((1, "c"), (2, "a"), (2, "b"), (3, None)),
    ),
    (
        "upsert-rows",
        {"rows": _rows((1, "z"), (9, "b")), "key": ["id"]},
        UNIQUE,
        _rows((1, "z"), (3, None), (4, "b"), (9, "b")),
    ),
    ("overwrite-rows", {"rows": _rows((7, "a"))}, BEFORE, _rows((7, "a"))),
)


@check("IRC-CLI-079")
def changed_rows(lab: CatalogClientLab) -> None:
    """A client that deletes, updates, upserts or overwrites rows leaves all others, with null and in every partition."""
    offered = False
    with lab.judge_each("IRC-CLI-079", without="the client refuses these tables") as case:
        for layout, members in LAYOUTS.items():
            for task, arguments, before, after in CHANGES:
                where: dict[str, Any] = {"namespace": lab.namespace(), "table": TABLE}
                lab.create(**where, **members)
                if not lab.performs("append-rows", **where, rows=before).ended.is_done:
                    continue  # a client may refuse partitioned tables
                done = lab.tries(task, **where, **arguments)
                if done is None:
                    continue
                offered = True
                if done.ended.is_done:
                    with case():
                        _are_left(
                            lab,
                            done,
                            where,
                            after,
                            f"of a table {layout} after {task} {expect.shown(arguments)}",
                        )
    if not offered:
        raise NotOffered("the client deletes, updates, upserts and overwrites no rows")


def _are_left(
    lab: CatalogClientLab, done: Performance, where: dict[str, Any], rows: Rows, how: str
) -> None:
    """Expect the rows that a client reads after a task; the task is the evidence."""
    left: Any = lab.performs("read-rows", **where).result
    lab.show(done)
    expect.equal(in_order(rows), in_order(left), f"rows {how}:", at=None)
