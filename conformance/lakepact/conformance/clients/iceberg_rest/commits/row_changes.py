"""Rows that a client deletes, updates, upserts and overwrites, judged by the rows that are left."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from lakepact.conformance.clients.iceberg_rest.api import (
    COMMITS,
    CatalogClientLab,
    Document,
    NotOffered,
    Performance,
    Script,
    as_it_is,
    at_first,
    check,
    expect,
)
from lakepact.conformance.clients.iceberg_rest.commits.appends import OTHER, overtaken
from lakepact.conformance.clients.iceberg_rest.commits.unknown_outcomes import LOST, losing
from lakepact.conformance.clients.iceberg_rest.kit.deleted_rows import (
    AMOUNTS,
    BY_DATA,
    BY_ID,
    FIRST,
    LATER,
    require_libraries,
    table_of_amounts,
    table_of_two_specs,
    table_with_deletes,
)
from lakepact.conformance.clients.iceberg_rest.kit.lab import NAN

Rows = list[Document]


def _rows(*pairs: tuple[int, str | None]) -> Rows:
    return [{"id": number, "data": data} for number, data in pairs]


DELETE, UPDATE, OVERWRITE = "delete-rows-where", "update-rows", "overwrite-rows"
BEFORE = _rows((1, "a"), (2, "a"), (2, "b"), (3, None))
UNIQUE = _rows((1, "a"), (3, None), (4, "b"))
#: Tasks with their arguments, the rows before them and those that are left.
CHANGES: tuple[tuple[str, Document, Rows, Rows], ...] = (
    (DELETE, {"where": {"id": 2}}, BEFORE, _rows((1, "a"), (3, None))),
    (DELETE, {"where": {"data": "a"}}, BEFORE, _rows((2, "b"), (3, None))),
    (DELETE, {"where": {"id": 9}}, BEFORE, BEFORE),
    (
        UPDATE,
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
    (OVERWRITE, {"rows": _rows((7, "a"))}, BEFORE, _rows((7, "a"))),
)
PLAIN = "without partitions"
#: Partition fields, by how a table is partitioned.
FIELDS = {"partitioned by data": BY_DATA, "in buckets of ids": {**BY_ID, "transform": "bucket[4]"}}
LOSS, CONFLICT = next(iter(LOST)), "another client appended rows before"
#: How tables are partitioned, and what happens to the commit of the task.
SITUATIONS = ((PLAIN, ""), *((how, "") for how in FIELDS), (PLAIN, LOSS), (PLAIN, CONFLICT))
REFUSES = "the client refuses these tables"


@check("IRC-CLI-079")
def changed_rows(lab: CatalogClientLab) -> None:
    """A client that deletes, updates, upserts or overwrites rows leaves all others, whatever else
    happens.
    """
    is_offered = False
    with lab.judge_each("IRC-CLI-079", without=REFUSES) as case:
        for (layout, happens), change in itertools.product(SITUATIONS, CHANGES):
            task, arguments, before, after = change
            fields = [FIELDS[layout]] if layout in FIELDS else []
            where = lab.table(**{"partition-spec": {"spec-id": 0, "fields": fields}})
            if not lab.performs("append-rows", **where, rows=before).is_done:
                continue  # a client may refuse partitioned tables
            performance = lab.tries(task, _script(lab, happens, where), **where, **arguments)
            is_offered |= performance is not None
            if performance is not None and (happens or performance.is_done):
                how = f"{layout} after {task} {expect.excerpt(arguments)}"
                with case():
                    about = f"of a table {how}{f', where {happens}' if happens else ''}"
                    lab.leaves(
                        performance, where, about, *_allowed(performance, happens, before, after)
                    )
    if not is_offered:
        raise NotOffered("the client deletes, updates, upserts and overwrites no rows")


def _script(lab: CatalogClientLab, happens: str, where: Document) -> Script:
    if happens == LOSS:
        return at_first(losing(LOST[LOSS]), COMMITS)
    if happens == CONFLICT:
        return overtaken(lab, "append-rows", **where, rows=OTHER)
    return as_it_is


def _allowed(performance: Performance, happens: str, before: Rows, after: Rows) -> list[Rows]:
    """Return the rows that a task may leave, which another client may have overtaken."""
    others = OTHER if happens == CONFLICT and performance.of(*COMMITS) else []
    if not performance.is_done:
        return [[*before, *others], *([after] if happens == LOSS else [])]
    return [[*after, *others], *([after] if performance.task == OVERWRITE else [])]


NANS: Rows = [AMOUNTS[0], {**AMOUNTS[1], "amount": NAN}, AMOUNTS[2]]
TWO, DELETED = "of two partition specs", "with position deletes"
#: Tables that lakepact writes, with tasks, their arguments, and the rows that are left.
WRITTEN: tuple[tuple[str, Callable[[CatalogClientLab], Document], str, Document, Rows], ...] = (
    (TWO, table_of_two_specs, DELETE, {"where": {"id": 2}}, [FIRST[0], FIRST[2]]),
    (
        TWO,
        table_of_two_specs,
        UPDATE,
        {"where": {"id": 2}, "set": {"data": "z"}},
        [FIRST[0], FIRST[2], *_rows((2, "z"), (2, "z"))],
    ),
    ("with NaN and null", table_of_amounts, DELETE, {"where": {"id": 1}}, NANS[1:]),
    ("with NaN and null", table_of_amounts, DELETE, {"where": {"amount": 1.5}}, NANS[1:]),
    ("with NaN and null", table_of_amounts, DELETE, {"where": {"data": "b"}}, [NANS[0], NANS[2]]),
    (
        DELETED,
        lambda lab: table_with_deletes(lab, "position deletes"),
        DELETE,
        {"where": {"id": 3}},
        [FIRST[0], *LATER],
    ),
)


@check("IRC-CLI-079")
def changed_rows_of_others(lab: CatalogClientLab) -> None:
    """A client that deletes or updates rows leaves all others, with NaN, of two specs, and with
    deletes.
    """
    require_libraries()
    is_offered = False
    with lab.judge_each("IRC-CLI-079", without=REFUSES) as case:
        for how, make, task, arguments, after in WRITTEN:
            where = make(lab)
            performance = lab.tries(task, **where, **arguments)
            is_offered |= performance is not None
            if performance is not None and performance.is_done:
                with case():
                    about = f"of a table {how} after {task} {expect.excerpt(arguments)}"
                    lab.leaves(performance, where, about, after)
    if not is_offered:
        raise NotOffered("the client deletes and updates no rows")
