"""Hints on partition columns: a server that filters leaves out files, but none with a matching
row.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from lakepact.conformance.checks.delta_sharing.api import Kind, Reply, SharingLab, check, expect
from lakepact.conformance.checks.delta_sharing.kit.predicates import (
    Comparison,
    IsNull,
    Joined,
    Negated,
    Predicate,
    hint,
)
from lakepact.conformance.checks.delta_sharing.queries.hints import PRUNED, HintSubject, matching

TYPED = "partition_types"


def region(operation: str, value: str, *, constant_first: bool = False) -> Comparison:
    """Return a comparison with a region."""
    return Comparison("region", "string", operation, value, constant_first)


def year(operation: str, value: int, *, constant_first: bool = False) -> Comparison:
    """Return a comparison with a year."""
    return Comparison("year", "integer", operation, value, constant_first)


SIMPLEST = region("=", "us")
NO_REGION, SOME_REGION = IsNull("region", "string"), IsNull("region", "string", inverse=True)

COMPARISONS = tuple(
    comparison
    for constant_first in (False, True)
    for comparison in (
        region("=", "us", constant_first=constant_first),
        region("<>", "eu", constant_first=constant_first),
        year("<", 25, constant_first=constant_first),
        year("<=", 9, constant_first=constant_first),
        year(">", 2023, constant_first=constant_first),
        year(">=", 2024, constant_first=constant_first),
    )
)

#: Type of JSON predicates → a comparison on the column of `partition_types` that is of it.
OF_EACH_TYPE: tuple[tuple[str, Comparison], ...] = (
    ("bool", Comparison("p_boolean", "boolean", "=", value=True)),
    ("int", Comparison("p_integer", "integer", "=", 25)),
    ("int", Comparison("p_short", "short", ">", 25)),
    ("long", Comparison("p_long", "long", "<", 9)),
    ("string", Comparison("p_string", "string", "=", "A")),
    ("date", Comparison("p_date", "date", "=", dt.date(2024, 1, 10))),
    ("float", Comparison("p_float", "float", "=", 9.5)),
    ("double", Comparison("p_double", "double", ">=", 25.25)),
    (
        "timestamp",
        Comparison(
            "p_timestamp", "timestamp", "=", dt.datetime(2024, 1, 11, 3, 4, 5, tzinfo=dt.UTC)
        ),
    ),
    (
        "timestamp",
        Comparison(
            "p_timestamp", "timestamp", "<=", dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
        ),
    ),
)


def sql(subject: HintSubject, predicate: Predicate) -> Reply:
    """Return the answer to a predicate in SQL."""
    return subject.query(predicateHints=[predicate.sql()])


def json(subject: HintSubject, predicate: Predicate) -> Reply:
    """Return the answer to a predicate in JSON."""
    return subject.query(jsonPredicateHints=hint(predicate.tree()))


def fewer(subject: HintSubject, reply: Reply, predicate: Predicate) -> None:
    """Expect fewer files than the table has, with all rows that satisfy the predicate.

    Raises:
        Unmet: matching rows are missing, or the answer has all files.
    """
    answer = subject.holds_all(reply, matching(subject.rows, predicate), predicate.sql())
    total = len(subject.answer.files)
    what = f"fewer than all {total} files of {subject.table.name} for {predicate.sql()}"
    expect.true(len(answer.files) < total, what, "all of them", at=reply.place(), kind=Kind.SURPLUS)


def understands(
    lab: SharingLab,
    requirement: str,
    subject: HintSubject,
    predicates: Iterable[Predicate],
    *,
    in_sql: bool = False,
) -> None:
    """Check that a server which filters by the simplest comparison filters by these predicates too;
    skip a server that never filters.
    """
    send = sql if in_sql else json
    simplest = (
        SIMPLEST if subject.table.name == PRUNED else Comparison("p_string", "string", "=", "A")
    )
    reply = lab.require(send(subject, simplest), 200)
    if len([line for line in reply.lines if line.get("file") is not None]) >= len(
        subject.answer.files
    ):
        lab.skip(requirement, "the target does not filter by such hints")
        return
    for predicate in lab.each(predicates):
        reply = send(subject, predicate)
        with lab.judge(requirement):
            fewer(subject, reply, predicate)


@check("DS-SQL-01")
def sql_comparisons(lab: SharingLab) -> None:
    """A server that filters by `predicateHints` returns fewer files for each comparison, with the
    constant on either side.
    """
    understands(lab, "DS-SQL-01", HintSubject(lab, lab.fixture(PRUNED)), COMPARISONS, in_sql=True)


@check("DS-SQL-02")
def sql_nulls(lab: SharingLab) -> None:
    """A server that filters by `predicateHints` returns fewer files for IS NULL and IS NOT NULL."""
    predicates = (
        NO_REGION,
        SOME_REGION,
        IsNull("year", "integer"),
        IsNull("year", "integer", inverse=True),
    )
    understands(lab, "DS-SQL-02", HintSubject(lab, lab.fixture(PRUNED)), predicates, in_sql=True)


@check("DS-JSP-02")
def typed_comparisons(lab: SharingLab) -> None:
    """A server that filters by `jsonPredicateHints` compares values by their `valueType`: the int 9
    is less than 25.
    """
    understands(
        lab,
        "DS-JSP-02",
        HintSubject(lab, lab.fixture(PRUNED)),
        (year("<", 25), year(">", 25), year("<=", 100), year(">=", 100)),
    )


@check("DS-JSP-03")
def json_nulls(lab: SharingLab) -> None:
    """A server that filters by `jsonPredicateHints` returns fewer files for `isNull`."""
    understands(
        lab,
        "DS-JSP-03",
        HintSubject(lab, lab.fixture(PRUNED)),
        (NO_REGION, IsNull("year", "integer")),
    )


@check("DS-JSP-04")
def json_comparisons(lab: SharingLab) -> None:
    """A server that filters by `jsonPredicateHints` returns fewer files for each comparison, with
    the constant on either side.
    """
    understands(
        lab,
        "DS-JSP-04",
        HintSubject(lab, lab.fixture(PRUNED)),
        [c for c in COMPARISONS if c.operation != "<>"],
    )


@check("DS-JSP-05")
def json_and_or(lab: SharingLab) -> None:
    """A server that filters by `jsonPredicateHints` filters by `and` and `or` with two or more
    children, and ignores those with one.
    """
    subject = HintSubject(lab, lab.fixture(PRUNED))
    predicates = (
        Joined("and", (region("=", "eu"), year("=", 2024))),
        Joined("and", (region("=", "eu"), year(">", 9), year("<", 2024))),
        Joined("or", (region("=", "us"), year("=", 100))),
        Joined("or", (region("=", "us"), year("=", 100), NO_REGION)),
        Joined("and", (Joined("or", (region("=", "us"), region("=", "EU"))), year(">", 9))),
    )
    understands(lab, "DS-JSP-05", subject, predicates)
    for alone in lab.each(
        (Joined("and", (region("=", "nowhere"),)), Joined("or", (region("=", "nowhere"),)))
    ):
        reply = json(subject, alone)
        with lab.judge("DS-JSP-05"):
            subject.holds_all(reply, subject.rows, f"{alone.operation} of one child")


@check("DS-JSP-06")
def json_not(lab: SharingLab) -> None:
    """A server that filters by `jsonPredicateHints` returns fewer files for `not`, also nested."""
    predicates = (
        Negated(region("=", "eu")),
        Negated(NO_REGION),
        Negated(year(">=", 2024)),
        Negated(Negated(region("=", "us"))),
    )
    understands(lab, "DS-JSP-06", HintSubject(lab, lab.fixture(PRUNED)), predicates)


@check("DS-JSP-07")
def json_types(lab: SharingLab) -> None:
    """A server that filters by `jsonPredicateHints` returns fewer files for a comparison of each
    `valueType`.
    """
    subject = HintSubject(lab, lab.fixture(TYPED))
    understands(lab, "DS-JSP-07", subject, [comparison for _, comparison in OF_EACH_TYPE])
