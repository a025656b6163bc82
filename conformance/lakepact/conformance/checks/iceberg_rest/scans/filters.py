"""Checks of filters of scans: no file that may match is left out, every kind of expression is
understood, and nonsense is refused.
"""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Kind,
    Wrong,
    check,
    expect,
    scans,
)
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import Manifest, long_bound
from lakepact.conformance.checks.iceberg_rest.scans.plan import some_table

DAY = 18_262  #: 2020-01-01

#: A column of each primitive type that a literal can be of, and literals of it.
PRIMITIVES: Document = {
    "boolean": True,
    "int": 34,
    "long": 2**40,
    "float": 1.5,
    "double": 1.5,
    "decimal(9, 2)": "14.20",
    "date": "2017-11-16",
    "time": "22:31:08.123456",
    "timestamp": "2017-11-16T22:31:08.123456",
    "timestamptz": "2017-11-16T22:31:08.123456+00:00",
    "string": "iceberg",
    "uuid": "f79c3e09-677c-4bbd-a479-3f349cb785e7",
    "fixed[4]": "78797A00",
    "binary": "78797A",
}


def comparison(kind: str, term: str, *value: Any) -> Document:
    """Return an expression about one column."""
    document: Document = {"type": kind, "term": term}
    return document | (
        {"values": list(value)}
        if kind in {"in", "not-in"}
        else {"value": value[0]}
        if value
        else {}
    )


def both(kind: str, left: Any, right: Any) -> Document:
    """Return two expressions as one."""
    return {"type": kind, "left": left, "right": right}


def negation(child: Any) -> Document:
    """Return the contrary of an expression."""
    return {"type": "not", "child": child}


def table_of_five(lab: CatalogLab) -> scans.TableWithFiles:
    """Return a table of five files, each in a manifest of its own, divided by name and by day,
    whose bounds tell ids of ten each.
    """
    fields = [
        {"source-id": 2, "field-id": 1000, "name": "name", "transform": "identity"},
        {"source-id": 3, "field-id": 1001, "name": "at_day", "transform": "day"},
    ]
    table = scans.table_with_files(lab, partition_spec={"spec-id": 0, "fields": fields})
    contents = {
        "a0": ("a", DAY),
        "a1": ("a", DAY + 1),
        "b2": ("b", DAY),
        "ab3": ("ab", None),
        "null4": (None, DAY + 1),
    }
    spec = table.spec()
    files = (
        table.file(
            path,
            *partition,
            lower={1: long_bound(10 * n)},
            upper={1: long_bound(10 * n + 9)},
            values={1: 10},
            nulls={1: 0},
        )
        for n, (path, partition) in enumerate(contents.items())
    )
    table.commit([Manifest((file,), spec=spec) for file in files])
    return table


FIRST_NOON, SECOND_NOON = "2020-01-01T12:00:00.000000+00:00", "2020-01-02T12:00:00.000000+00:00"

#: Filters, and the files of such a table that hold rows that match, whatever their rows may be
#: otherwise.
MATCHES: tuple[tuple[Any, str], ...] = (
    (comparison("eq", "id", 5), "a0"),
    (comparison("eq", "id", 9), "a0"),
    (comparison("eq", "id", 10), "a1"),
    (comparison("lt", "id", 11), "a0 a1"),
    (comparison("lt-eq", "id", 10), "a0 a1"),
    (comparison("gt", "id", 28), "b2 ab3 null4"),
    (comparison("gt-eq", "id", 29), "b2 ab3 null4"),
    (comparison("not-eq", "id", 5), "a0 a1 b2 ab3 null4"),
    (comparison("in", "id", 0, 19, 20), "a0 a1 b2"),
    (comparison("not-in", "id", 0, 19, 20), "a0 a1 b2 ab3 null4"),
    (comparison("eq", "name", "a"), "a0 a1"),
    (comparison("not-eq", "name", "a"), "b2 ab3"),
    (comparison("gt", "name", "a"), "b2 ab3"),
    (comparison("is-null", "name"), "null4"),
    (comparison("not-null", "name"), "a0 a1 b2 ab3"),
    (comparison("starts-with", "name", "a"), "a0 a1 ab3"),
    (comparison("starts-with", "name", "ab"), "ab3"),
    (comparison("not-starts-with", "name", "a"), "b2"),
    (comparison("is-null", "at"), "ab3"),
    (comparison("lt", "at", FIRST_NOON), "a0 b2"),
    (comparison("gt", "at", FIRST_NOON), "a0 b2 a1 null4"),
    (comparison("gt-eq", "at", SECOND_NOON), "a1 null4"),
    (both("and", comparison("eq", "name", "a"), comparison("gt", "id", 9)), "a1"),
    (both("or", comparison("eq", "name", "b"), comparison("lt", "id", 3)), "a0 b2"),
    (negation(comparison("gt", "id", 9)), "a0"),
    (negation(both("or", comparison("eq", "name", "a"), comparison("is-null", "name"))), "b2 ab3"),
    (negation(comparison("in", "name", "a", "b")), "ab3"),
    (negation(both("and", comparison("eq", "name", "a"), comparison("gt", "id", 9))), "a0 b2 ab3"),
    (negation(negation(comparison("gt", "id", 9))), "a1 b2 ab3 null4"),
    (
        negation(both("or", negation(comparison("eq", "name", "a")), comparison("lt", "id", 3))),
        "a0 a1",
    ),
    (
        both(
            "or",
            both("and", comparison("eq", "name", "a"), comparison("gt", "id", 9)),
            comparison("is-null", "name"),
        ),
        "a1 null4",
    ),
    (
        both(
            "and",
            both("or", comparison("eq", "name", "a"), comparison("eq", "name", "b")),
            comparison("gt", "id", 9),
        ),
        "a1 b2",
    ),
)


@check("IRC-SCAN-PLAN-001", "IRC-SCAN-PLAN-015")
def filters_keep_every_matching_file(lab: CatalogLab) -> None:
    """A plan prunes no file with a matching row, for filters on bounds, partitions and nulls."""
    table = table_of_five(lab)

    for expression, expected in lab.each(MATCHES):
        reply = scans.plan(lab, table.table, filter=expression)
        with lab.judge("IRC-SCAN-PLAN-001"):
            scans.expect_plan(reply)
        with lab.judge("IRC-SCAN-PLAN-015"):
            with lab.step("IRC-SCAN-PLAN-001"):
                scans.expect_plan(reply)
            plan = scans.wait_for_plan(lab, table.table, reply)
            missing = sorted({table.path(name) for name in expected.split()} - {*plan.paths})
            actual = f"without {', '.join(missing)}"
            expect.true(
                not missing,
                f"the files {expected} for {expect.excerpt(expression)}",
                actual,
                at=plan.at,
                kind=Kind.MISSING,
            )


@check("IRC-SCAN-PLAN-016")
def every_expression_type_returns_200(lab: CatalogLab) -> None:
    """Planning returns 200 for all nineteen expression types and literals of every primitive
    type.
    """
    scans.needs(lab, scans.PLAN)
    columns = [
        {"id": n, "name": f"c{n}", "type": kind, "required": False}
        for n, kind in enumerate(PRIMITIVES, 1)
    ]
    table = lab.make_table(schema={"type": "struct", "schema-id": 0, "fields": columns})
    scans.require_plans(lab, table)
    text, number, real = (1 + list(PRIMITIVES).index(kind) for kind in ("string", "int", "double"))
    eq = comparison("eq", f"c{number}", 1)
    kinds = [
        {"type": "true"},
        {"type": "false"},
        both("and", eq, eq),
        both("or", eq, eq),
        negation(eq),
        *(
            comparison(kind, f"c{number}", 1)
            for kind in ("eq", "not-eq", "lt", "lt-eq", "gt", "gt-eq")
        ),
        *(comparison(kind, f"c{number}", 1, 2) for kind in ("in", "not-in")),
        *(comparison(kind, f"c{text}", "a") for kind in ("starts-with", "not-starts-with")),
        *(comparison(kind, f"c{number}") for kind in ("is-null", "not-null")),
        *(comparison(kind, f"c{real}") for kind in ("is-nan", "not-nan")),
    ]
    literals = [comparison("eq", f"c{n}", value) for n, value in enumerate(PRIMITIVES.values(), 1)]

    for expression in lab.each((*kinds, *literals)):
        with lab.judge("IRC-SCAN-PLAN-016"):
            expect.status(
                scans.plan(lab, table, filter=expression),
                200,
                about=f"for {expect.excerpt(expression)}",
            )


#: Invalid expressions, and expressions that do not fit the columns of such a table.
NONSENSE: Document = {
    "an unknown kind": comparison("like", "id", 5),
    "no kind": {"term": "id", "value": 5},
    "no term": {"type": "eq", "value": 5},
    "no value": comparison("eq", "id"),
    "no values": {"type": "in", "term": "id"},
    "values that are none": {"type": "in", "term": "id", "values": 5},
    "one side": {"type": "and", "left": comparison("eq", "id", 5)},
    "a negation of nothing": {"type": "not"},
    "a kind that is a number": {"type": 5, "term": "id", "value": 5},
    "a term that is a number": {"type": "eq", "term": 5, "value": 5},
    "an array": [comparison("eq", "id", 5)],
    "a number": 5,
    "an unknown column": comparison("eq", "nowhere", 5),
    "an unknown column within": both(
        "and", comparison("eq", "id", 5), negation(comparison("is-null", "nowhere"))
    ),
}


@check("IRC-SCAN-PLAN-017")
def invalid_filters_return_400(lab: CatalogLab) -> None:
    """An invalid filter expression, or one on an unknown column, returns 400."""
    table = some_table(lab)

    for what, expression in lab.each(NONSENSE.items()):
        with lab.judge("IRC-SCAN-PLAN-017"):
            wrong = Wrong.ABSENT("column") if "unknown column" in what else Wrong.VALUE("/filter")
            expect.status(
                scans.plan(lab, table, filter=expression),
                400,
                about=f"for {what}: {expect.excerpt(expression)}",
                mutation=wrong,
            )


@check("IRC-SCAN-PLAN-018")
def names_are_case_sensitive_by_default(lab: CatalogLab) -> None:
    """A filter in another letter case returns 400, and 200 with case-sensitive false; selections
    behave alike.
    """
    table = some_table(lab)
    within = both("or", negation(comparison("eq", "ID", 5)), comparison("is-null", "NAME"))
    requests: dict[str, Document] = {
        "a filter": {"filter": comparison("eq", "ID", 5)},
        "a filter within others": {"filter": within},
        "a selection": {"select": ["NAME"]},
    }
    # A server that does not resolve names at all fails only IRC-SCAN-PLAN-017.
    lab.require(scans.plan(lab, table, filter=comparison("eq", "nowhere", 5)), 400)

    with lab.judge_each("IRC-SCAN-PLAN-018") as case:
        for what, request in requests.items():
            with case():
                expect.status(
                    scans.plan(lab, table, **request, case_sensitive=False),
                    200,
                    about=f"for {what} without case-sensitivity",
                )
        for members in ({}, {"case_sensitive": True}):
            with case():
                reply = scans.plan(lab, table, **requests["a filter"], **members)
                about = " with case-sensitivity" if members else ""
                wrong = Wrong.VALUE("/filter/term")
                expect.status(
                    reply, 400, about=f"for a filter in another letter case{about}", mutation=wrong
                )
