"""Checks of filters whose operands are values: references, literals as objects, and functions."""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Kind,
    Reply,
    Wrong,
    expect,
    scans,
)
from lakepact.conformance.checks.iceberg_rest.scans.filters import (
    DAY,
    both,
    comparison,
    negation,
    table_of_five,
)
from lakepact.conformance.checks.iceberg_rest.scans.plan import some_table
from lakepact.conformance.checks.iceberg_rest.v1_12_0.suite import check

REFUSED = (400, 422)
Case = tuple[Document, str]  #: a filter, and the files of such a table that hold rows that match


def ref(name: str) -> Document:
    """Return a reference to a column by its name."""
    return {"type": "reference", "name": name}


def literal(value: Any, data_type: str | None = None) -> Document:
    """Return a literal as an object."""
    return {"type": "literal", "value": value} | ({"data-type": data_type} if data_type else {})


def test(kind: str, left: Any, right: Any) -> Document:
    """Return a comparison of two values."""
    return {"type": kind, "left": left, "right": right}


def of(kind: str, child: Any, **members: Any) -> Document:
    """Return an expression about one value."""
    return {"type": kind, "child": child, **members}


def bucket(column: Any, number: int = 16) -> Document:
    """Return a transform as a function."""
    return {"type": "apply", "function": f"bucket[{number}]", "arguments": [column]}


#: The filters in the new form, the same in the form before, and the files of such a table with
#: matching rows.
MATCHES: tuple[tuple[Document, Document, str], ...] = (
    (test("eq", ref("id"), 5), comparison("eq", "id", 5), "a0"),
    (test("gt", ref("id"), 28), comparison("gt", "id", 28), "b2 ab3 null4"),
    (test("lt", ref("id"), 11), comparison("lt", "id", 11), "a0 a1"),
    (of("is-null", ref("name")), comparison("is-null", "name"), "null4"),
    (of("not-null", ref("name")), comparison("not-null", "name"), "a0 a1 b2 ab3"),
    (of("in", ref("id"), values=[0, 19, 20]), comparison("in", "id", 0, 19, 20), "a0 a1 b2"),
    (test("starts-with", ref("name"), "ab"), comparison("starts-with", "name", "ab"), "ab3"),
    (negation(test("gt", ref("id"), 9)), negation(comparison("gt", "id", 9)), "a0"),
    (
        both("or", test("eq", ref("name"), "b"), of("is-null", ref("name"))),
        both("or", comparison("eq", "name", "b"), comparison("is-null", "name")),
        "b2 null4",
    ),
)
LITERALS: tuple[Case, ...] = (
    (test("eq", ref("id"), literal(5)), "a0"),
    (test("eq", ref("id"), literal(5, "long")), "a0"),
    (test("lt", ref("id"), literal(11, "long")), "a0 a1"),
    (test("eq", ref("name"), literal("b", "string")), "b2"),
    (comparison("eq", "id", literal(5)), "a0"),
    (
        of("in", ref("id"), values={"type": "literals", "values": [0, 19], "data-type": "long"}),
        "a0 a1",
    ),
    (of("in", ref("id"), values=[literal(0), literal(19, "long")]), "a0 a1"),
)
OPTIONAL: tuple[Case, ...] = (
    (test("gt", literal(11), ref("id")), "a0 a1"),
    (test("eq", {"type": "reference", "id": 1}, 5), "a0"),
    (of("is-null", {"type": "reference", "id": 2}), "null4"),
    (test("eq", ref("id"), ref("id")), "a0 a1 b2 ab3 null4"),
    (of("not-null", bucket(ref("id"))), "a0 a1 b2 ab3 null4"),
    (test("eq", {"type": "apply", "function": "day", "arguments": [ref("at")]}, DAY), "a0 b2"),
    (
        of(
            "not-null",
            {"type": "apply", "function": {"identifier": ["lp", "f"]}, "arguments": [ref("id")]},
        ),
        "",
    ),
)
WRONG: dict[str, Document] = {
    "both forms": of("is-null", ref("id"), term="id"),
    "no operand": {"type": "is-null"},
    "the left operand alone": {"type": "eq", "left": ref("id")},
    "the left operand and a value": {"type": "eq", "left": ref("id"), "value": 5},
    "values without an operand": {"type": "in", "values": [5]},
}


def _keeps(
    lab: CatalogLab, table: scans.TableWithFiles, reply: Reply, expression: Any, expected: str
) -> list[str]:
    """Return the files of a plan after checking that none with matching rows is missing."""
    expect.status(reply, 200, about=f"for {expect.excerpt(expression)}")
    plan = scans.wait_for_plan(lab, table.table, reply)
    missing = sorted({table.path(name) for name in expected.split()} - {*plan.paths})
    what = f"the files {expected} for {expect.excerpt(expression)}"
    actual = f"without {', '.join(missing)}"
    expect.true(not missing, what, actual, at=plan.at, kind=Kind.MISSING)
    return plan.paths


@check("IRC-EXPR-001", "IRC-EXPR-005")
def value_operands_keep_every_matching_file(lab: CatalogLab) -> None:
    """A plan prunes no matching file for filters with `child`, `left` and `right`, and has the same
    files for the form before.
    """
    table = table_of_five(lab)
    for expression, before, expected in lab.each(MATCHES):
        reply = scans.plan(lab, table.table, filter=expression)
        with lab.judge("IRC-EXPR-001"):
            _keeps(lab, table, reply, expression, expected)
        with lab.judge("IRC-EXPR-005"):
            with lab.step("IRC-EXPR-001"):
                now = _keeps(lab, table, reply, expression, expected)
            then = _keeps(lab, table, scans.plan(lab, table.table, filter=before), before, expected)
            expect.equal(now, then, f"the files for {expect.excerpt(before)}", at=None)


@check("IRC-EXPR-002")
def literals_as_objects_keep_every_matching_file(lab: CatalogLab) -> None:
    """A plan prunes no matching file for filters with literals as objects."""
    table = table_of_five(lab)
    for expression, expected in lab.each(LITERALS):
        with lab.judge("IRC-EXPR-002"):
            _keeps(
                lab, table, scans.plan(lab, table.table, filter=expression), expression, expected
            )


@check("IRC-EXPR-003")
def optional_operands_keep_every_matching_file(lab: CatalogLab) -> None:
    """A plan prunes no matching file for filters with functions, two columns or columns by id, or
    planning returns 400 or 422.
    """
    table = table_of_five(lab)
    for expression, expected in lab.each(OPTIONAL):
        with lab.judge("IRC-EXPR-003"):
            reply = scans.plan(lab, table.table, filter=expression)
            if reply.status not in REFUSED:
                _keeps(lab, table, reply, expression, expected)


@check("IRC-EXPR-004")
def ambiguous_operands_return_400(lab: CatalogLab) -> None:
    """A filter with both forms of an operand, or none, returns 400."""
    table = some_table(lab)
    for what, expression in lab.each(WRONG.items()):
        with lab.judge("IRC-EXPR-004"):
            reply = scans.plan(lab, table, filter=expression)
            expect.status(
                reply,
                400,
                about=f"for {what}: {expect.excerpt(expression)}",
                mutation=Wrong.VALUE("/filter"),
            )
