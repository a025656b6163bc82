"""Random hints, and hints at the extremes of each file: a server leaves out no file with a matching
row.

Every run sends the same hints, so that servers can be compared, and each check sends a bounded
number of requests.
"""

from __future__ import annotations

from random import Random
from typing import Any

from lakepact.conformance.checks.delta_sharing.api import SharingLab, check, reading
from lakepact.conformance.checks.delta_sharing.kit.predicates import (
    Comparison,
    Draw,
    Joined,
    Negated,
    Predicate,
    hint,
)
from lakepact.conformance.checks.delta_sharing.queries.hints import (
    PRUNED,
    ROUNDED,
    HintSubject,
    hint_subjects,
    matching,
)

ROUNDS = 12  #: requests for each table
FILES = 2  #: least values of files that are tried one by one, and as many greatest ones


@check("DS-HNT-03")
def one_sql_predicate(lab: SharingLab) -> None:
    """A query with one SQL comparison in `predicateHints` leaves out no file with a matching
    row.
    """
    for subject in lab.each(hint_subjects(lab)):
        draw = Draw(Random(f"sql {subject.table.name}"), subject.rows, subject.sql_kinds())  # noqa: S311 - no secret
        for _ in lab.each(range(ROUNDS)):
            predicate = draw.leaf()
            reply = subject.query(predicateHints=[predicate.sql()])
            with lab.judge("DS-HNT-03"):
                subject.holds_all(
                    reply, matching(subject.rows, predicate), f"the hint {predicate.sql()}"
                )


@check("DS-HNT-02")
def several_sql_predicates(lab: SharingLab) -> None:
    """A query with several `predicateHints` leaves out no file with a row that satisfies all of
    them.
    """
    for subject in lab.each(hint_subjects(lab)):
        random = Random(f"several {subject.table.name}")  # noqa: S311 - no secret
        draw = Draw(random, subject.rows, subject.sql_kinds())
        for _ in lab.each(range(ROUNDS)):
            predicates = [draw.leaf() for _ in range(random.choice((2, 2, 3)))]
            texts = [predicate.sql() for predicate in predicates]
            reply = subject.query(predicateHints=texts)
            with lab.judge("DS-HNT-02"):
                subject.holds_all(
                    reply, matching(subject.rows, *predicates), f"the hints {', '.join(texts)}"
                )


@check("DS-HNT-09", "DS-JSP-08")
def json_predicates(lab: SharingLab) -> None:
    """A query with a random tree in `jsonPredicateHints`, on any columns, leaves out no file with a
    matching row.
    """
    for subject in lab.each(hint_subjects(lab)):
        draw = Draw(Random(f"json {subject.table.name}"), subject.rows, subject.json_kinds())  # noqa: S311 - no secret
        for _ in lab.each(range(ROUNDS)):
            predicate = draw.tree()
            reply = subject.query(jsonPredicateHints=hint(predicate.tree()))
            with lab.judge("DS-HNT-09", "DS-JSP-08"):
                subject.holds_all(
                    reply,
                    matching(subject.rows, predicate),
                    f"jsonPredicateHints {predicate.sql()}",
                )


@check("DS-JSP-06", "DS-HNT-09")
def negations(lab: SharingLab) -> None:
    """A query with `not` in `jsonPredicateHints` leaves out no file with a matching row; the
    negation of unknown is unknown.
    """
    for subject in lab.each(hint_subjects(lab)):
        draw = Draw(Random(f"not {subject.table.name}"), subject.rows, subject.json_kinds())  # noqa: S311 - no secret
        for _ in lab.each(range(ROUNDS)):
            predicate: Any = Negated(draw.tree(1))
            reply = subject.query(jsonPredicateHints=hint(predicate.tree()))
            with lab.judge("DS-JSP-06", "DS-HNT-09"):
                subject.holds_all(
                    reply,
                    matching(subject.rows, predicate),
                    f"jsonPredicateHints {predicate.sql()}",
                )


def extremes(lab: SharingLab, subject: HintSubject, column: str) -> tuple[list[Any], list[Any]]:
    """Return the least values of a column in the files, and the greatest ones."""
    least: list[Any] = []
    greatest: list[Any] = []
    for file in subject.answer.files:
        values = [row[column] for row in reading.rows_of(lab, subject.answer, file)]
        comparable = [value for value in values if not (value is None or value != value)]  # noqa: PLR0124 - NaN
        least += [min(comparable)] if comparable else []
        greatest += [max(comparable)] if comparable else []
    return least, greatest


@check("DS-HNT-03")
def extremes_in_sql(lab: SharingLab) -> None:
    """A query with `predicateHints` for the least or greatest value of a file leaves out no file
    with that value.
    """
    for subject in lab.each(hint_subjects(lab, (PRUNED, "partition_types", *ROUNDED))):
        for column, kind in lab.each(subject.sql_kinds().items()):
            least, greatest = extremes(lab, subject, column)
            for value in lab.each(
                dict.fromkeys((*sorted(least)[:FILES], *sorted(greatest)[-FILES:]))
            ):
                predicate = Comparison(column, kind, "=", value)
                if isinstance(value, str) and ("'" in value or "\\" in value):
                    continue  # SQL dialects escape these differently.
                reply = subject.query(predicateHints=[predicate.sql()])
                with lab.judge("DS-HNT-03"):
                    subject.holds_all(
                        reply, matching(subject.rows, predicate), f"the hint {predicate.sql()}"
                    )


@check("DS-HNT-09")
def extremes_in_json(lab: SharingLab) -> None:
    """A query with `jsonPredicateHints` for the least or greatest value of each file leaves out no
    file.
    """
    for subject in lab.each(
        hint_subjects(
            lab, (PRUNED, "partitioned", "deletion_vectors", "column_mapping_name", *ROUNDED)
        )
    ):
        for column, kind in lab.each(subject.json_kinds().items()):
            for values in lab.each(extremes(lab, subject, column)):
                parts: list[Predicate] = [
                    Comparison(column, kind, "=", value) for value in dict.fromkeys(values)
                ]
                if not parts:
                    continue
                predicate = Joined("or", tuple(parts)) if len(parts) > 1 else parts[0]
                reply = subject.query(jsonPredicateHints=hint(predicate.tree()))
                with lab.judge("DS-HNT-09"):
                    subject.holds_all(
                        reply, matching(subject.rows, predicate), f"the extremes of {column}"
                    )
