"""Filters of scans: read strictly from the contract's JSON, tied to columns, and written as JSON
again for what remains of them.

Negations are carried inwards to the tests: `not (a < 5)` becomes `a >= 5`, which is what readers
make of it, nulls included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.documents import Document, as_text, refusal
from lakepact.reference_server.iceberg_rest.scan_planning.operands import in_the_form_before
from lakepact.reference_server.iceberg_rest.scan_planning.transforms import result_type
from lakepact.reference_server.iceberg_rest.scan_planning.values import (
    COMPARED,
    FLOATS,
    Literal,
    literal,
)
from lakepact.reference_server.iceberg_rest.tables.transforms import SOURCES, transform_name
from lakepact.reference_server.iceberg_rest.tables.types import NESTED, name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.scan_planning.names import Names
    from lakepact.reference_server.iceberg_rest.tables.schemas import Column

DEEPEST = 250  #: levels of expressions within each other
MOST_VALUES = 100_000  #: of one set

NEGATED = {
    "lt": "gt-eq",
    "lt-eq": "gt",
    "gt": "lt-eq",
    "gt-eq": "lt",
    "eq": "not-eq",
    "not-eq": "eq",
    "starts-with": "not-starts-with",
    "not-starts-with": "starts-with",
    "in": "not-in",
    "not-in": "in",
    "is-null": "not-null",
    "not-null": "is-null",
    "is-nan": "not-nan",
    "not-nan": "is-nan",
}
UNARY = frozenset({"is-null", "not-null", "is-nan", "not-nan"})
SETS = frozenset({"in", "not-in"})
ORDER = frozenset({"lt", "lt-eq", "gt", "gt-eq"})
PREFIXES = frozenset({"starts-with", "not-starts-with"})
KINDS = ("true", "false", "and", "or", "not", *NEGATED)


@dataclass(frozen=True, slots=True)
class Constant:
    """Holds for every row, or for none."""

    holds: bool


@dataclass(frozen=True, slots=True)
class Test:
    """A column, or a transform of it, is compared."""

    kind: str
    column: Column
    transform: str | None
    literals: tuple[Literal, ...]
    document: Document  #: as the contract writes it
    or_nan: bool = False  #: a negation that some readers take to hold for NaN as well


@dataclass(frozen=True, slots=True)
class Junction:
    """Both hold, or at least one of them does."""

    kind: str  #: `and` or `or`
    left: Expression
    right: Expression


Expression = Constant | Test | Junction
ALWAYS, NEVER = Constant(True), Constant(False)


def expression(document: Any, names: Names, where: str = "/filter") -> Expression:
    """Return the filter of a request.

    Raises:
        Problem: 400, it is malformed or names an unknown column.
    """
    return _read(document, names, where, negate=False, depth=1)


def _read(document: Any, names: Names, where: str, *, negate: bool, depth: int) -> Expression:
    if depth > DEEPEST:
        raise refusal(
            where,
            f"expressions are nested more than {DEEPEST} levels deep; write them as a balanced"
            " tree, or with `in`",
        )
    if isinstance(document, bool):
        return Constant(document != negate)
    if not isinstance(document, dict):
        raise refusal(
            where, f"expected an expression, which is an object, found {as_text(document)}"
        )
    kind = document.get("type")
    if kind in {"true", "false"}:
        return Constant((kind == "true") != negate)
    if kind == "not":
        return _read(
            _member(document, "child", where),
            names,
            f"{where}/child",
            negate=not negate,
            depth=depth + 1,
        )
    if kind in {"and", "or"}:
        left, right = (
            _read(
                _member(document, side, where),
                names,
                f"{where}/{side}",
                negate=negate,
                depth=depth + 1,
            )
            for side in ("left", "right")
        )
        return combine("or" if (kind == "or") != negate else "and", left, right)
    if not isinstance(kind, str) or kind not in NEGATED:
        raise refusal(
            f"{where}/type", f"unknown expression {as_text(kind)}; known are {', '.join(KINDS)}"
        )
    return _test(document, names, where, negate=negate)


def combine(kind: str, left: Expression, right: Expression) -> Expression:
    """Return both or either, as simply as it can be said."""
    absorbing = kind == "or"
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Constant):
            return one if one.holds == absorbing else other
    return Junction(kind, left, right)


def _test(document: Document, names: Names, where: str, *, negate: bool) -> Expression:
    document = in_the_form_before(document, names, where)
    kind = document["type"]
    column, transform = _term(_member(document, "term", where), names, f"{where}/term")
    term_type = column.type if transform is None else result_type(transform, column.type)
    literals = _literals(document, kind, term_type, where)
    if kind in {"is-nan", "not-nan"} and name_of(term_type) not in FLOATS:
        raise refusal(
            where,
            f"{kind} asks for float or double, and {as_text(column.name)} is of type"
            f" {name_of(term_type)}",
        )
    if kind in PREFIXES and name_of(term_type) != "string":
        raise refusal(
            where,
            f"{kind} asks for string, and {as_text(column.name)} is of type {name_of(term_type)}",
        )
    own_kind = NEGATED[kind] if negate else kind
    if kind in SETS and not literals:
        return Constant(own_kind == "not-in")
    or_nan = negate and kind in ORDER and name_of(term_type) in FLOATS
    members = {"type": kind if or_nan else own_kind, "term": document["term"]}
    members |= {
        name: document[name]
        for name in ("value", "values")
        if kind not in UNARY and name in document
    }
    return Test(
        own_kind,
        column,
        transform,
        literals,
        {"type": "not", "child": members} if or_nan else members,
        or_nan=or_nan,
    )


def _literals(document: Document, kind: str, term_type: Any, where: str) -> tuple[Literal, ...]:
    if kind in UNARY:
        return ()
    if name_of(term_type) not in COMPARED:
        raise refusal(
            f"{where}/term",
            f"values of type {name_of(term_type)} cannot be compared; ask whether they are null",
        )
    if kind not in SETS:
        return (literal(_member(document, "value", where), term_type, f"{where}/value"),)
    values = _member(document, "values", where)
    if not isinstance(values, list):
        raise refusal(f"{where}/values", f"expected an array, found {as_text(values)}")
    if len(values) > MOST_VALUES:
        raise refusal(
            f"{where}/values", f"there are {len(values)} values; at most {MOST_VALUES} are possible"
        )
    return tuple(
        literal(value, term_type, f"{where}/values/{index}") for index, value in enumerate(values)
    )


def _term(term: Any, names: Names, where: str) -> tuple[Column, str | None]:
    if isinstance(term, str):
        return _column(term, names, where), None
    if not isinstance(term, dict) or term.get("type") != "transform":
        raise refusal(
            where,
            "expected the name of a column, or an object of the type transform, found"
            f" {as_text(term)}",
        )
    transform = term.get("transform")
    name = transform_name(transform) if isinstance(transform, str) else None
    if name is None or not isinstance(transform, str):
        raise refusal(
            f"{where}/transform",
            f"unknown transform {as_text(transform)}; known are {', '.join(SOURCES)}, with bucket[n]"
            " and n > 0",
        )
    if not isinstance(term.get("term"), str):
        raise refusal(
            f"{where}/term", f"expected the name of a column, found {as_text(term.get('term'))}"
        )
    column = _column(term["term"], names, f"{where}/term")
    takes = SOURCES[name]
    if name_of(column.type) in NESTED or (takes is not None and name_of(column.type) not in takes):
        raise refusal(
            f"{where}/transform",
            f"{transform} cannot be applied to {as_text(column.name)}, which is of type"
            f" {name_of(column.type)}",
        )
    return column, None if name == "identity" else transform


def _column(name: str, names: Names, where: str) -> Column:
    column = names.column(name, where)
    if column.in_collection:
        raise refusal(
            where,
            f"column {as_text(column.name)} is inside of a list or map; a filter is about what each"
            " row has once",
        )
    return column


def _member(document: Document, member: str, where: str) -> Any:
    if member not in document:
        raise refusal(
            where, f"an expression of the type {document['type']} has a member `{member}`"
        )
    return document[member]


def expression_as_json(whole: Expression) -> Any:
    """Return an expression as the contract's JSON; constant ones are bare `true` and `false`, as
    clients write and read them.
    """
    if isinstance(whole, Constant):
        return whole.holds
    if isinstance(whole, Test):
        return whole.document
    return {
        "type": whole.kind,
        "left": expression_as_json(whole.left),
        "right": expression_as_json(whole.right),
    }


def rewritten(whole: Expression, change: Callable[[Test], Expression]) -> Expression:
    """Return the expression with `change(test)` in the place of each test."""
    if isinstance(whole, Test):
        return change(whole)
    if isinstance(whole, Junction):
        left, right = rewritten(whole.left, change), rewritten(whole.right, change)
        return (
            whole
            if left is whole.left and right is whole.right
            else combine(whole.kind, left, right)
        )
    return whole


def tests(whole: Expression) -> tuple[Test, ...]:
    """Return all tests of an expression."""
    if isinstance(whole, Test):
        return (whole,)
    return (*tests(whole.left), *tests(whole.right)) if isinstance(whole, Junction) else ()
