"""Checks of filters of scans: no file that may match is left out, every kind of expression is
understood, and nonsense is refused.
"""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Kind,
    Mutation,
    Wrong,
    check,
    expect,
    scans,
)
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import Manifest, long_bound
from lakepact.conformance.checks.iceberg_rest.scans.plan import some_table

DAY = 18_262  #: 2020-01-01

#: A column of each primitive type that a literal can be of, and literals of it.
PRIMITIVES: dict[str, Any] = {
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


def compared(kind: str, term: str, *value: Any) -> dict[str, Any]:
    """Return an expression about one column."""
    document: dict[str, Any] = {"type": kind, "term": term}
    return document | (
        {"values": list(value)}
        if kind in {"in", "not-in"}
        else {"value": value[0]}
        if value
        else {}
    )


def both(kind: str, left: Any, right: Any) -> dict[str, Any]:
    """Return two expressions as one."""
    return {"type": kind, "left": left, "right": right}


def negated(child: Any) -> dict[str, Any]:
    """Return the contrary of an expression."""
    return {"type": "not", "child": child}


def divided(lab: CatalogLab) -> scans.TableWithFiles:
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
    (compared("eq", "id", 5), "a0"),
    (compared("eq", "id", 9), "a0"),
    (compared("eq", "id", 10), "a1"),
    (compared("lt", "id", 11), "a0 a1"),
    (compared("lt-eq", "id", 10), "a0 a1"),
    (compared("gt", "id", 28), "b2 ab3 null4"),
    (compared("gt-eq", "id", 29), "b2 ab3 null4"),
    (compared("not-eq", "id", 5), "a0 a1 b2 ab3 null4"),
    (compared("in", "id", 0, 19, 20), "a0 a1 b2"),
    (compared("not-in", "id", 0, 19, 20), "a0 a1 b2 ab3 null4"),
    (compared("eq", "name", "a"), "a0 a1"),
    (compared("not-eq", "name", "a"), "b2 ab3"),
    (compared("gt", "name", "a"), "b2 ab3"),
    (compared("is-null", "name"), "null4"),
    (compared("not-null", "name"), "a0 a1 b2 ab3"),
    (compared("starts-with", "name", "a"), "a0 a1 ab3"),
    (compared("starts-with", "name", "ab"), "ab3"),
    (compared("not-starts-with", "name", "a"), "b2"),
    (compared("is-null", "at"), "ab3"),
    (compared("lt", "at", FIRST_NOON), "a0 b2"),
    (compared("gt", "at", FIRST_NOON), "a0 b2 a1 null4"),
    (compared("gt-eq", "at", SECOND_NOON), "a1 null4"),
    (both("and", compared("eq", "name", "a"), compared("gt", "id", 9)), "a1"),
    (both("or", compared("eq", "name", "b"), compared("lt", "id", 3)), "a0 b2"),
    (negated(compared("gt", "id", 9)), "a0"),
    (negated(both("or", compared("eq", "name", "a"), compared("is-null", "name"))), "b2 ab3"),
    (negated(compared("in", "name", "a", "b")), "ab3"),
    (negated(both("and", compared("eq", "name", "a"), compared("gt", "id", 9))), "a0 b2 ab3"),
    (negated(negated(compared("gt", "id", 9))), "a1 b2 ab3 null4"),
    (negated(both("or", negated(compared("eq", "name", "a")), compared("lt", "id", 3))), "a0 a1"),
    (
        both(
            "or",
            both("and", compared("eq", "name", "a"), compared("gt", "id", 9)),
            compared("is-null", "name"),
        ),
        "a1 null4",
    ),
    (
        both(
            "and",
            both("or", compared("eq", "name", "a"), compared("eq", "name", "b")),
            compared("gt", "id", 9),
        ),
        "a1 b2",
    ),
)


@check("IRC-SCAN-PLAN-001", "IRC-SCAN-PLAN-015")
def filters_keep_every_matching_file(lab: CatalogLab) -> None:
    """A plan prunes no file with a matching row, for filters on bounds, partitions and nulls."""
    table = divided(lab)

    for wanted, expected in lab.each(MATCHES):
        reply = scans.plan(lab, table.table, filter=wanted)
        with lab.judge("IRC-SCAN-PLAN-001"):
            scans.is_plan(reply)
        with lab.judge("IRC-SCAN-PLAN-015"):
            with lab.step("IRC-SCAN-PLAN-001"):
                scans.is_plan(reply)
            found = scans.wait_for_plan(lab, table.table, reply)
            missing = sorted({table.path(name) for name in expected.split()} - {*found.paths})
            actual = f"without {', '.join(missing)}"
            expect.true(
                not missing,
                f"the files {expected} for {expect.shown(wanted)}",
                actual,
                at=found.at,
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
    eq = compared("eq", f"c{number}", 1)
    kinds = [
        {"type": "true"},
        {"type": "false"},
        both("and", eq, eq),
        both("or", eq, eq),
        negated(eq),
        *(
            compared(kind, f"c{number}", 1)
            for kind in ("eq", "not-eq", "lt", "lt-eq", "gt", "gt-eq")
        ),
        *(compared(kind, f"c{number}", 1, 2) for kind in ("in", "not-in")),
        *(compared(kind, f"c{text}", "a") for kind in ("starts-with", "not-starts-with")),
        *(compared(kind, f"c{number}") for kind in ("is-null", "not-null")),
        *(compared(kind, f"c{real}") for kind in ("is-nan", "not-nan")),
    ]
    literals = [compared("eq", f"c{n}", value) for n, value in enumerate(PRIMITIVES.values(), 1)]

    for wanted in lab.each((*kinds, *literals)):
        with lab.judge("IRC-SCAN-PLAN-016"):
            expect.status(
                scans.plan(lab, table, filter=wanted), 200, about=f"for {expect.shown(wanted)}"
            )


#: Invalid expressions, and expressions that do not fit the columns of such a table.
NONSENSE: dict[str, Any] = {
    "an unknown kind": compared("like", "id", 5),
    "no kind": {"term": "id", "value": 5},
    "no term": {"type": "eq", "value": 5},
    "no value": compared("eq", "id"),
    "no values": {"type": "in", "term": "id"},
    "values that are none": {"type": "in", "term": "id", "values": 5},
    "one side": {"type": "and", "left": compared("eq", "id", 5)},
    "a negation of nothing": {"type": "not"},
    "a kind that is a number": {"type": 5, "term": "id", "value": 5},
    "a term that is a number": {"type": "eq", "term": 5, "value": 5},
    "an array": [compared("eq", "id", 5)],
    "a number": 5,
    "an unknown column": compared("eq", "nowhere", 5),
    "an unknown column within": both(
        "and", compared("eq", "id", 5), negated(compared("is-null", "nowhere"))
    ),
}


@check("IRC-SCAN-PLAN-017")
def invalid_filters_return_400(lab: CatalogLab) -> None:
    """An invalid filter expression, or one on an unknown column, returns 400."""
    table = some_table(lab)

    for what, wanted in lab.each(NONSENSE.items()):
        with lab.judge("IRC-SCAN-PLAN-017"):
            wrong = (
                Mutation(Wrong.ABSENT, "column")
                if "unknown column" in what
                else Mutation(Wrong.VALUE, "/filter")
            )
            expect.status(
                scans.plan(lab, table, filter=wanted),
                400,
                about=f"for {what}: {expect.shown(wanted)}",
                mutation=wrong,
            )


@check("IRC-SCAN-PLAN-018")
def names_are_case_sensitive_by_default(lab: CatalogLab) -> None:
    """A filter in another letter case returns 400, and 200 with case-sensitive false; selections
    behave alike.
    """
    table = some_table(lab)
    within = both("or", negated(compared("eq", "ID", 5)), compared("is-null", "NAME"))
    requests: dict[str, dict[str, Any]] = {
        "a filter": {"filter": compared("eq", "ID", 5)},
        "a filter within others": {"filter": within},
        "a selection": {"select": ["NAME"]},
    }
    # A server that does not resolve names at all fails only IRC-SCAN-PLAN-017.
    lab.require(scans.plan(lab, table, filter=compared("eq", "nowhere", 5)), 400)

    with lab.judge_each("IRC-SCAN-PLAN-018") as case:
        for what, request in requests.items():
            with case():
                expect.status(
                    scans.plan(lab, table, **request, case_sensitive=False),
                    200,
                    about=f"for {what} without case-sensitivity",
                )
        for said in ({}, {"case_sensitive": True}):
            with case():
                reply, about = (
                    scans.plan(lab, table, **requests["a filter"], **said),
                    " with case-sensitivity" if said else "",
                )
                wrong = Mutation(Wrong.VALUE, "/filter/term")
                expect.status(
                    reply, 400, about=f"for a filter in another letter case{about}", mutation=wrong
                )
