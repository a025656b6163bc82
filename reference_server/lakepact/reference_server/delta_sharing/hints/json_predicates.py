"""jsonPredicateHints: a predicate as a tree of operations in a JSON text."""

from __future__ import annotations

from typing import Any

import orjson

from lakepact.reference_server.delta_sharing.hints import predicates
from lakepact.reference_server.delta_sharing.hints.casts import BadCast, check_cast
from lakepact.reference_server.delta_sharing.hints.columns import Columns, NoSuchColumn, kind
from lakepact.reference_server.delta_sharing.hints.reading import MILLISECOND, Unreadable, read
from lakepact.reference_server.delta_sharing.hints.values import Kind, comparable

#: Types of the tables by the names that value types have here.
VALUE_TYPES = {
    "bool": "boolean",
    "int": "integer",
    "long": "long",
    "string": "string",
    "date": "date",
    "float": "float",
    "double": "double",
    "timestamp": "timestamp",
}
SIGNS = {
    "equal": "=",
    "lessThan": "<",
    "lessThanOrEqual": "<=",
    "greaterThan": ">",
    "greaterThanOrEqual": ">=",
}
BYTEWISE = "UTF8_BINARY"  #: the collation that compares text byte by byte
DEEPEST = 100
MOST = 1000  #: operations of one predicate
LONGEST = 1_000_000  #: characters of one predicate: a thousand for each operation


class BadPredicate(ValueError):
    """A tree that is no predicate; the message says where."""


def json_predicate(text: str, columns: Columns) -> predicates.Predicate:
    """Return the predicate that a JSON text holds.

    Raises:
        BadPredicate: it holds none, or one over columns that are not there.
    """
    if len(text) > LONGEST:
        raise BadPredicate(f"longer than {LONGEST} characters")
    try:
        document = orjson.loads(text)
    except (orjson.JSONDecodeError, TypeError) as error:
        raise BadPredicate(f"not JSON: {error}") from None
    try:
        return _Tree(columns).predicate(document, 1)
    except (BadCast, NoSuchColumn, Unreadable) as error:
        raise BadPredicate(str(error)) from None


class _Tree:
    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._left = MOST

    def predicate(self, node: Any, depth: int) -> predicates.Predicate:
        operation = self._operation(node, depth)
        if operation in {"and", "or"}:
            children = [self.predicate(child, depth + 1) for child in _children(node, 2, None)]
            return (
                predicates.conjunction(*children)
                if operation == "and"
                else predicates.disjunction(*children)
            )
        if operation == "not":
            return predicates.Not(self.predicate(_children(node, 1, 1)[0], depth + 1))
        if operation == "isNull":
            return predicates.IsNull(self._operand(_children(node, 1, 1)[0], depth + 1))
        if operation in SIGNS:
            left, right = (self._operand(child, depth + 1) for child in _children(node, 2, 2))
            return _comparison(node, operation, left, right)
        if operation == "column" and node.get("valueType") == "bool":
            return predicates.Holds(self._column(node))
        raise BadPredicate(f"{operation!r} is no operation of a predicate")

    def _operand(self, node: Any, depth: int) -> predicates.Operand:
        operation = self._operation(node, depth)
        if operation == "column":
            return self._column(node)
        if operation == "literal":
            return _literal(node)
        raise BadPredicate(f"{operation!r} is no column and no literal")

    def _operation(self, node: Any, depth: int) -> str:
        self._left -= 1
        if depth > DEEPEST or self._left < 0:
            raise BadPredicate("larger than this server reads")
        if not isinstance(node, dict) or not isinstance(node.get("op"), str):
            raise BadPredicate("an operation is an object with the member op")
        operation: str = node["op"]
        return operation

    def _column(self, node: dict[str, Any]) -> predicates.Reading:
        name = node.get("name")
        if not isinstance(name, str):
            raise BadPredicate("a column has a name")
        column, type_ = self._columns.find(name), _type(node)
        check_cast(column.type, type_)
        return predicates.Reading(column, type_)


def _type(node: dict[str, Any]) -> str:
    name = node.get("valueType")
    if not isinstance(name, str) or name not in VALUE_TYPES:
        raise BadPredicate(f"{str(name)[:50]!r} is no value type")
    return VALUE_TYPES[name]


def _literal(node: dict[str, Any]) -> predicates.Literal:
    type_, value = _type(node), node.get("value")
    if isinstance(value, bool):
        value = str(value).lower()
    if not isinstance(value, str | int | float):
        raise BadPredicate("a literal has a value")
    values = read(type_, str(value))
    if values.kind is Kind.TIMESTAMP:  # Spark's connector cuts what it sends to milliseconds
        values = values._replace(low=values.low - MILLISECOND, high=values.high + MILLISECOND)
    return predicates.Literal(type_, values)


def _comparison(
    node: dict[str, Any], operation: str, left: predicates.Operand, right: predicates.Operand
) -> predicates.Predicate:
    kinds = kind(left.type), kind(right.type)
    if not comparable(*kinds):
        raise BadPredicate(f"{left.type} and {right.type} cannot be compared")
    context = node.get("exprCtx")
    if (
        kinds[0] is Kind.TEXT
        and isinstance(context, dict)
        and context.get("collationIdentifier", BYTEWISE) not in {BYTEWISE, None}
    ):
        return predicates.Unsure()
    return predicates.Comparison(SIGNS[operation], left, right)


def _children(node: dict[str, Any], least: int, most: int | None) -> list[Any]:
    children = node.get("children")
    if (
        not isinstance(children, list)
        or len(children) < least
        or (most is not None and len(children) > most)
    ):
        raise BadPredicate(
            f"{node['op']!r} has {least} children{'' if least == most else ' or more'}"
        )
    return children
