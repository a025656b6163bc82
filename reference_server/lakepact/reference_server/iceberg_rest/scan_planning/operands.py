"""Operands of expressions as contract 1.12.0 writes them, in the form that every version knows:
`term` with `value` or `values`.

Residuals are in the form before too, so that clients of every version read them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.documents import Document, as_text, refusal

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.scan_planning.names import Names

MIRRORED = {
    "lt": "gt",
    "lt-eq": "gt-eq",
    "gt": "lt",
    "gt-eq": "lt-eq",
    "eq": "eq",
    "not-eq": "not-eq",
}
OPERANDS = ("child", "left", "right")
BEFORE = ("term", "value")


def in_the_form_before(document: Document, names: Names, where: str) -> Document:
    """Return a test with `term` and `value` or `values`, and the literals bare.

    Args:
        document: the test, in either form.
        names: the columns of the table, by which ids become names.
        where: its place in the request.

    Raises:
        Problem: 400, it has both forms, compares what this server does not compare, or names an
            unknown column id.
    """
    kind: str = document["type"]
    result: Document = {
        "type": kind,
        **{name: document[name] for name in (*BEFORE, "values") if name in document},
    }
    new = [name for name in OPERANDS if name in document]
    if new and any(name in document for name in BEFORE):
        raise refusal(
            where,
            f"an expression of the type {kind} has `{new[0]}` or the members `term` and `value`,"
            " not both",
        )
    if "child" in document:
        result["term"] = _term(document["child"], names, f"{where}/child")
    elif new:
        result = _comparison(document, kind, names, where)
    if "values" in result:
        result["values"] = _values(result["values"])
    if "value" in result:
        result["value"] = _value(result["value"])
    return result


def _comparison(document: Document, kind: str, names: Names, where: str) -> Document:
    for side in ("left", "right"):
        if side not in document:
            raise refusal(where, f"an expression of the type {kind} has a member `{side}`")
    left, right = document["left"], document["right"]
    if _is_literal(left) == _is_literal(right):
        raise refusal(
            where,
            "this server compares a column, or a transform of one, with a literal, not two of the"
            " same",
        )
    if not _is_literal(left):
        return {"type": kind, "term": _term(left, names, f"{where}/left"), "value": right}
    if kind not in MIRRORED:
        raise refusal(
            f"{where}/left", f"{kind} has the column on the left and the literal on the right"
        )
    return {"type": MIRRORED[kind], "term": _term(right, names, f"{where}/right"), "value": left}


def _is_literal(operand: Any) -> bool:
    return not isinstance(operand, dict) or operand.get("type") == "literal"


def _value(literal: Any) -> Any:
    """Return the bare value; the type of the column says how it is read."""
    return (
        literal.get("value")
        if isinstance(literal, dict) and literal.get("type") == "literal"
        else literal
    )


def _values(values: Any) -> Any:
    if isinstance(values, dict) and values.get("type") == "literals":
        values = values.get("values")
    return list(map(_value, values)) if isinstance(values, list) else values


def _term(operand: Any, names: Names, where: str) -> Any:
    if isinstance(operand, dict) and operand.get("type") == "reference":
        return _column_name(operand, names, where)
    if not isinstance(operand, dict) or operand.get("type") != "apply":
        raise refusal(
            where, f"expected a reference to a column or an apply, found {as_text(operand)}"
        )
    arguments = operand.get("arguments")
    if not (isinstance(arguments, list) and len(arguments) == 1 and isinstance(arguments[0], dict)):
        raise refusal(
            f"{where}/arguments",
            "this server applies transforms, which have one argument, a reference to a column",
        )
    column = _term(arguments[0], names, f"{where}/arguments/0")
    return {"type": "transform", "transform": _transform(operand.get("function")), "term": column}


def _transform(function: Any) -> Any:
    """Return the name of a function: a text, an identifier of one level, or an object with such an
    identifier.
    """
    levels = (
        function.get("identifier")
        if isinstance(function, dict) and "catalog" not in function
        else function
    )
    return levels[0] if isinstance(levels, list) and len(levels) == 1 else levels


def _column_name(reference: Document, names: Names, where: str) -> Any:
    if "id" not in reference:
        return reference.get("name")
    column = names.by_id.get(reference["id"])
    if column is None:
        raise refusal(
            f"{where}/id", f"the schema has no column with the id {as_text(reference['id'])}"
        )
    return column.name
