"""Predicates select rows as SQL does, and their hints hold for every selected row."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.client import column
from lakepact.client.delta_sharing.rows.expressions import bound, row_matcher
from lakepact.client.delta_sharing.rows.types import arrow_field
from lakepact.client.delta_sharing.schemas import Field, Primitive, Schema
from lakepact.client.rows.predicates import (
    And,
    Comparison,
    IsNull,
    Not,
    Or,
    columns_of,
    hint,
)

NAMES = ("a", "b")
SCHEMA = Schema(tuple(Field(name, Primitive("long"), nullable=True) for name in NAMES))
VALUES = st.none() | st.integers(-2, 2)
COMPARED = st.builds(
    Comparison,
    st.sampled_from(NAMES),
    st.sampled_from(["equal", "lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual"]),
    st.integers(-2, 2) | st.just(2**70),
)
PREDICATES = st.recursive(
    st.builds(IsNull, st.sampled_from(NAMES)) | COMPARED,
    lambda parts: (
        st.builds(Not, parts)
        | st.builds(And, st.tuples(parts, parts))
        | st.builds(Or, st.tuples(parts, parts, parts))
    ),
    max_leaves=8,
)


def holds(tree: Any, row: dict[str, Any]) -> bool | None:
    """Return the three-valued result of a hint for a row."""
    op, children = tree["op"], tree.get("children", [])
    if op in {"and", "or"}:
        result = [holds(child, row) for child in children]
        decisive = op == "or"
        return decisive if decisive in result else None if None in result else not decisive
    if op == "not":
        result = holds(children[0], row)
        return None if result is None else not result
    if op == "isNull":
        return row[children[0]["name"]] is None
    left, right = row[children[0]["name"]], int(children[1]["value"])
    if left is None:
        return None
    return {
        "equal": left == right,
        "lessThan": left < right,
        "lessThanOrEqual": left <= right,
        "greaterThan": left > right,
        "greaterThanOrEqual": left >= right,
    }[op]


def chooses(predicate: Any, row: dict[str, Any]) -> bool | None:
    """Return the three-valued result of a predicate for a row."""
    if isinstance(predicate, And | Or):
        result = [chooses(part, row) for part in predicate.parts]
        decisive = isinstance(predicate, Or)
        return decisive if decisive in result else None if None in result else not decisive
    if isinstance(predicate, Not):
        result = chooses(predicate.part, row)
        return None if result is None else not result
    if isinstance(predicate, IsNull):
        return row[predicate.column] is None
    name = {"op": "column", "name": predicate.column}
    return holds(
        {
            "op": predicate.operator,
            "children": [name, {"op": "literal", "value": str(predicate.value)}],
        },
        row,
    )


@given(PREDICATES, st.fixed_dictionaries(dict.fromkeys(NAMES, VALUES)))
def test_hint_holds_for_every_selected_row(predicate, row):
    text = hint(predicate)

    assert (
        text is None or chooses(predicate, row) is not True or holds(json.loads(text), row) is True
    )


@given(
    PREDICATES.filter(lambda predicate: str(2**70) not in repr(predicate)),
    st.lists(st.fixed_dictionaries(dict.fromkeys(NAMES, VALUES)), max_size=5),
)
def test_predicate_keeps_the_rows_that_sql_keeps(predicate, rows):
    table = pa.Table.from_pylist(
        rows, schema=pa.schema([arrow_field(field) for field in SCHEMA.fields])
    )

    selection = table.filter(row_matcher(bound(predicate, SCHEMA), table.schema)(table)).to_pylist()

    assert selection == [row for row in rows if chooses(predicate, row) is True]


def test_operators_build_the_predicate_tree():
    predicate = (
        (column("a") == 1) & ~(column("b") < 2) & ((column("a") > 3) | column("b").is_null())
    )

    assert predicate == And(
        (
            Comparison("a", "equal", 1),
            Not(Comparison("b", "lessThan", 2)),
            Or((Comparison("a", "greaterThan", 3), IsNull("b"))),
        )
    )
    assert columns_of(predicate) == {"a", "b"}


def test_derived_operators_build_basic_predicates():
    assert (column("a") != 1) == Not(Comparison("a", "equal", 1))
    assert column("a").is_not_null() == Not(IsNull("a"))
    assert column("a").is_in([1, 2]) == (column("a") == 1) | (column("a") == 2)
    assert column("a").is_in([1]) == Comparison("a", "equal", 1)
    assert [(column("a") <= 1).operator, (column("a") >= 1).operator] == [
        "lessThanOrEqual",
        "greaterThanOrEqual",
    ]


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (True, "bool", "true"),
        (25, "long", "25"),
        ("25", "string", "25"),
        (date(2021, 4, 29), "date", "2021-04-29"),
        (datetime(2021, 4, 29, 1, 2, 3, tzinfo=UTC), "timestamp", "2021-04-29T01:02:03Z"),
    ],
)
def test_hint_names_the_type_of_the_value(value, kind, text):
    children = [
        {"op": "column", "name": "c", "valueType": kind},
        {"op": "literal", "value": text, "valueType": kind},
    ]

    assert json.loads(hint(column("c") == value)) == {"op": "equal", "children": children}


@pytest.mark.parametrize("value", [Decimal(1), b"x", datetime(2021, 4, 29), 2**70, 1.5, "\uff21"])  # noqa: DTZ001 - it has no zone
def test_value_without_a_hint_type_is_left_out_of_the_hint(value):
    unsaid = column("c") == value

    assert hint(unsaid) is None
    assert hint(~unsaid) is None
    assert hint(unsaid | (column("a") == 1)) is None
    assert hint(unsaid & (column("a") == 1)) == hint(column("a") == 1)
    assert hint(~(unsaid & (column("a") == 1))) is None


def short_hint(predicate: Any) -> Any:
    """Return a hint as nested tuples of an operation, and of what it is about."""

    def short(tree: Any) -> Any:
        parts = tuple(
            child.get("value") or child.get("name") if "children" not in child else short(child)
            for child in tree["children"]
        )
        return (tree["op"], *parts)

    text = hint(predicate)
    return None if text is None else short(json.loads(text))


NOON = datetime(2024, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)
FROM, TO = "2024-01-01T12:00:00.123000Z", "2024-01-01T12:00:00.123456Z"
OTHERS = ("or", ("lessThan", "s", "m"), ("greaterThan", "s", "m"))


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        # statistics of times are in milliseconds
        (
            column("t") == NOON,
            ("and", ("greaterThanOrEqual", "t", FROM), ("lessThanOrEqual", "t", TO)),
        ),
        (column("t") > NOON, ("greaterThanOrEqual", "t", FROM)),
        (column("t") < NOON, ("lessThanOrEqual", "t", TO)),
        (~(column("t") < NOON), ("greaterThanOrEqual", "t", FROM)),
        (column("t") != NOON, None),
        # numbers may be of every type
        (
            column("i") > 5,
            ("greaterThanOrEqual", "i", "5"),
        ),  # the column can hold 5.5, and its values be compared as integers
        (column("i") < -5, ("lessThanOrEqual", "i", "-5")),
        (column("i") != 5, None),
        (~(column("i") < 5), None),  # true for NaN
        (
            column("i") == 2**60,
            (
                "and",
                ("greaterThanOrEqual", "i", str(2**60 - 2**10)),
                ("lessThanOrEqual", "i", str(2**60 + 2**10)),
            ),
        ),
        (column("i") == 2**63 - 1, None),
        # hints hold neither `not` nor `isNull`
        (~(column("s") < "m"), ("greaterThanOrEqual", "s", "m")),
        (column("s") != "m", OTHERS),
        (
            ~((column("s") == "m") | (column("s") > "x")),
            ("and", OTHERS, ("lessThanOrEqual", "s", "x")),
        ),
        (~~(column("s") == "m"), ("equal", "s", "m")),
        (column("s").is_null(), None),
        (column("s").is_not_null(), None),
        (column("s").is_not_null() & (column("s") > "m"), ("greaterThan", "s", "m")),
        (column("s").is_null() | (column("s") > "m"), None),
    ],
)
def test_hint_holds_for_what_servers_know_of_a_column(predicate, expected):
    assert short_hint(predicate) == expected


@pytest.mark.parametrize("wrong", [None, float("nan"), Decimal("nan")])
def test_comparison_with_null_or_nan_raises_value_error(wrong):
    with pytest.raises(ValueError, match=r"compare"):
        column("a") == wrong  # noqa: B015 - it raises


def test_list_values_and_truth_of_predicates_are_refused():
    with pytest.raises(TypeError, match="cannot be compared with a list"):
        column("a") == [1]  # noqa: B015 - it raises
    with pytest.raises(TypeError, match="combine predicates by"):
        bool(column("a") == 1)
    with pytest.raises(ValueError, match="no values"):
        column("a").is_in([])


TYPED = {
    "integer": (1, ["1", True]),
    "double": (1.5, ["1", True]),
    "float": (1, ["1"]),
    "string": ("a", [1, b"a", True]),
    "binary": (b"a", ["a"]),
    "boolean": (True, [1, "true"]),
    "date": (date(2024, 1, 1), [datetime(2024, 1, 1, tzinfo=UTC), "1st of May"]),
    "timestamp": (datetime(2024, 1, 1, tzinfo=UTC), [datetime(2024, 1, 1), date(2024, 1, 1), 0]),  # noqa: DTZ001
    "timestamp_ntz": (
        datetime(2024, 1, 1),  # noqa: DTZ001
        [datetime(2024, 1, 1, tzinfo=UTC), "2024-01-01T00:00Z"],
    ),
    "decimal": (Decimal("1.5"), ["1.5"]),
}


@pytest.mark.parametrize("name", TYPED)
def test_column_compares_with_values_of_its_type_only(name):
    kind = Primitive(name, 10, 2) if name == "decimal" else Primitive(name)
    schema = Schema((Field("C", kind, nullable=True),))
    right, wrong = TYPED[name]
    table = pa.table({"C": pa.array([right, None], arrow_field(schema.fields[0]).type)})

    match = row_matcher(bound(column("c") == right, schema), table.schema)
    assert table.filter(match(table)).num_rows == 1
    for value in wrong:
        with pytest.raises(
            TypeError, match=r"column C is .*, and cannot be compared with .*: give"
        ):
            bound(column("C") == value, schema)


def test_unknown_column_raises_value_error():
    with pytest.raises(ValueError, match="has no column 'x'; it has a, b"):
        bound(column("x") == 1, SCHEMA)
