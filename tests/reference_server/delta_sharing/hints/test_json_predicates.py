"""The syntax and meaning of jsonPredicateHints; an invalid predicate omits no file."""

from __future__ import annotations

import json

import pytest

from lakepact.reference_server.delta_sharing.hints import select
from sample_tables.shared_snapshots import file, snapshot, struct

TYPES = {
    "hireDate": "date",
    "id": "integer",
    "City": "string",
    "rate": "double",
    "weight": "float",
    "count": "long",
    "active": "boolean",
    "at": "timestamp",
}
ROWS = (
    {
        "hireDate": "2021-04-28",
        "id": "9",
        "City": "9",
        "rate": "0.5",
        "weight": "0.1",
        "count": "1",
        "active": "true",
        "at": "2021-04-28T12:00:00Z",
    },
    {
        "hireDate": "2021-04-29",
        "id": "25",
        "City": "25",
        "rate": "2",
        "weight": "7",
        "count": "2",
        "active": "false",
        "at": "2021-05-28T12:00:00Z",
    },
    dict.fromkeys(TYPES),
)
TABLE = snapshot({**TYPES, "x": "long"}, *(file(row) for row in ROWS), partitioned=list(TYPES))
ALL = [0, 1, 2]


def column(name, type_):
    return {"op": "column", "name": name, "valueType": type_}


def literal(value, type_):
    return {"op": "literal", "value": value, "valueType": type_}


def op(name, *children, **more):
    return {"op": name, "children": list(children), **more}


def compare(name, of, value, type_):
    return op(name, column(of, type_), literal(value, type_))


def kept(tree):
    found = select(TABLE, json_predicate_hints=tree if isinstance(tree, str) else json.dumps(tree))
    return ALL if found is None else list(found)


ID_9 = compare("equal", "id", "9", "int")
NO_ID = op("isNull", column("id", "int"))


@pytest.mark.parametrize(
    ("tree", "files"),
    [
        (compare("equal", "hireDate", "2021-04-29", "date"), [1]),
        (compare("equal", "HIREDATE", "2021-04-29", "date"), [1]),
        (compare("lessThan", "id", "25", "int"), [0]),
        (compare("lessThan", "id", 25, "int"), [0]),
        (compare("lessThanOrEqual", "id", "25", "int"), [0, 1]),
        (compare("greaterThan", "id", "9", "long"), [1]),
        (compare("greaterThanOrEqual", "id", "9", "long"), [0, 1]),
        (op("lessThan", literal("9", "int"), column("id", "int")), [1]),
        (compare("lessThan", "City", "9", "string"), [1]),
        (compare("lessThan", "City", "10", "int"), [0]),
        (compare("equal", "id", "9", "string"), [0]),
        (compare("greaterThan", "rate", "0.75", "double"), [1]),
        (compare("greaterThan", "rate", "1", "int"), [0, 1]),
        (compare("equal", "weight", "0.1", "float"), [0]),
        (compare("equal", "count", "2.0", "double"), [1]),
        (compare("equal", "active", "TRUE", "bool"), [0]),
        (compare("equal", "active", False, "bool"), [1]),
        (compare("equal", "at", "2021-04-28T12:00:00Z", "timestamp"), [0]),
        (compare("equal", "at", "2021-04-28", "date"), [0]),
        (compare("equal", "hireDate", "2021-04-28", "string"), [0]),
        (op("isNull", column("id", "int")), [2]),
        (op("not", NO_ID), [0, 1]),
        (op("not", ID_9), [1]),
        (op("not", op("and", ID_9, NO_ID)), [0, 1]),
        (op("and", ID_9, compare("equal", "City", "25", "string")), []),
        (op("or", ID_9, NO_ID), [0, 2]),
        (op("and", op("not", NO_ID), ID_9, op("or", ID_9, NO_ID)), [0]),
        (op("or", op("and", NO_ID, op("isNull", literal("5", "int"))), ID_9), [0]),
        (column("active", "bool"), [0]),
        (op("and", op("not", column("active", "bool")), op("not", NO_ID)), [1]),
        (op("and", ID_9, compare("equal", "x", "5", "long")), [0]),
        (op("equal", column("id", "int"), column("count", "long")), []),
        (
            op(
                "equal",
                column("City", "string"),
                literal("9", "string"),
                exprCtx={"collationIdentifier": "UTF8_BINARY"},
            ),
            [0],
        ),
        (
            op(
                "equal",
                column("City", "string"),
                literal("9", "string"),
                exprCtx={"collationIdentifier": "ICU.UNICODE_CI"},
            ),
            ALL,
        ),
    ],
)
def test_predicate_omits_files_that_cannot_match(tree, files):
    assert kept(tree) == files


@pytest.mark.parametrize(
    "tree",
    [
        "",
        "{",
        "null",
        "[]",
        "5",
        '"x"',
        "{}",
        {"op": 5},
        op("like", column("City", "string"), literal("9", "string")),
        op("EQUAL", column("id", "int"), literal("9", "int")),
        op("equal"),
        op("equal", column("id", "int")),
        op("equal", column("id", "int"), literal("9", "int"), literal("9", "int")),
        {"op": "equal", "children": {"0": 1}},
        op("equal", ID_9, ID_9),
        op("and", ID_9),
        op("or", ID_9),
        op("not", ID_9, ID_9),
        op("and", ID_9, column("City", "string")),
        op("isNull", ID_9),
        op("isNull", column("id", None)),
        op("isNull", {"op": "column", "valueType": "int"}),
        literal("true", "bool"),
        compare("equal", "nope", "9", "int"),
        compare("equal", "id", "9", "integer"),
        compare("equal", "id", "9", "decimal(5,2)"),
        compare("equal", "id", None, "int"),
        compare("equal", "id", "Zürich", "int"),
        compare("equal", "id", "1_0", "int"),
        compare("equal", "id", "3000000000", "int"),
        compare("equal", "rate", "1_0.5", "double"),
        compare("equal", "hireDate", "29.04.2021", "date"),
        compare("equal", "hireDate", "2021-02-30", "date"),
        compare("equal", "at", "soon", "timestamp"),
        compare("equal", "active", "maybe", "bool"),
        compare("equal", "hireDate", "5", "int"),
        op("equal", column("id", "int"), literal("9", "string")),
        op("and", ID_9, compare("equal", "City", "x", "date")),
        json.dumps(ID_9).replace("id", "\\ud800"),
        json.dumps(op("and", *[ID_9] * 400)),
        '{"op":"not","children":[' * 3000 + json.dumps(ID_9) + "]}" * 3000,
        '{"op":"not","children":[' * 150 + json.dumps(ID_9) + "]}" * 150,
    ],
    ids=lambda tree: json.dumps(tree)[:60],
)
def test_invalid_predicate_omits_no_file(tree):
    assert kept(tree) == ALL


def test_uncastable_value_omits_no_file_beside_a_false_conjunct():
    table = snapshot(
        {"city": "string", "id": "integer"},
        file({"city": "x", "id": "1"}),
        file({"city": "5", "id": "2"}),
        partitioned=["city", "id"],
    )
    tree = op("and", compare("equal", "id", "7", "int"), compare("equal", "city", "5", "int"))
    assert select(table, json_predicate_hints=json.dumps(tree)) is None


def test_data_columns_are_filtered_by_statistics():
    table = snapshot(
        {"x": "long"},
        *(file(stats={"minValues": {"x": n}, "maxValues": {"x": n + 9}}) for n in (0, 10, 20)),
    )
    assert select(
        table, json_predicate_hints=json.dumps(compare("greaterThan", "X", "15", "long"))
    ) == [1, 2]


def test_a_dot_leads_into_structures_unless_a_column_has_it_in_its_name():
    types = {"a": struct(b="long"), "c.d": "long"}
    files = [
        file(
            stats={"minValues": {"a": {"b": n}, "c.d": -n}, "maxValues": {"a": {"b": n}, "c.d": -n}}
        )
        for n in (1, 2)
    ]
    table = snapshot(types, *files)
    assert select(table, json_predicate_hints=json.dumps(compare("equal", "a.B", "2", "long"))) == [
        1
    ]
    assert select(
        table, json_predicate_hints=json.dumps(compare("equal", "c.d", "-1", "long"))
    ) == [0]


def test_both_kinds_of_hints_count_together():
    assert select(
        TABLE, predicate_hints=["id > 9"], json_predicate_hints=json.dumps(op("not", NO_ID))
    ) == [1]
    assert select(TABLE, predicate_hints=["id > 9"], json_predicate_hints="{") == [1]
