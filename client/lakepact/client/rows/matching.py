"""Rows for which predicates are true, in batches and tables of Arrow."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from lakepact.client.rows.predicates import And, Comparison, IsNaN, IsNull, Not, Or, Predicate

if TYPE_CHECKING:
    from lakepact.client.rows.predicates import Operator

#: Returns for each row of a batch whether a predicate is true; null if that is unknown.
Matcher: TypeAlias = Callable[[Any], Any]
#: Returns the values of a column of a batch.
Values: TypeAlias = Callable[[Any], Any]

_FUNCTIONS: dict[Operator, Callable[[Any, Any], Any]] = {
    "equal": pc.equal,
    "lessThan": pc.less,
    "lessThanOrEqual": pc.less_equal,
    "greaterThan": pc.greater,
    "greaterThanOrEqual": pc.greater_equal,
}


def matcher(
    predicate: Predicate, values: Callable[[str], Values], scalar: Callable[[str, Any], Any]
) -> Matcher:
    """Return the function of batches for a bound predicate.

    Args:
        predicate: The predicate.
        values: Returns the function that finds the values of a column.
        scalar: Returns a value that a column is compared with, as Arrow has it.
    """
    if isinstance(predicate, (And, Or)):
        return _joint(predicate, values, scalar)
    if isinstance(predicate, Not):
        part = matcher(predicate.part, values, scalar)
        return lambda rows: pc.invert(part(rows))
    assert isinstance(predicate, (Comparison, IsNull, IsNaN))  # noqa: S101
    of = values(predicate.column)
    if isinstance(predicate, IsNull):
        return lambda rows: of(rows).is_null()
    if isinstance(predicate, IsNaN):
        return lambda rows: pc.is_nan(of(rows))
    value, compare = scalar(predicate.column, predicate.value), _FUNCTIONS[predicate.operator]
    return lambda rows: compare(of(rows), value)


def exact_scalar(value: Any, kind: Any) -> Any:
    """Return a value for comparisons with a type of Arrow; narrow numbers are compared as 64
    bits.
    """
    if pa.types.is_integer(kind):
        return pa.scalar(value, pa.int64())
    return pa.scalar(value, pa.float64() if pa.types.is_floating(kind) else kind)


def _joint(
    predicate: And | Or, values: Callable[[str], Values], scalar: Callable[[str, Any], Any]
) -> Matcher:
    is_and, parts_of = isinstance(predicate, And), predicate.parts
    equal = [one for one in parts_of if isinstance(one, Comparison) and one.operator == "equal"]
    names = {one.column for one in equal}
    if not is_and and len(parts_of) == len(equal) > len(names) == 1:
        (name,) = names
        scalars = pa.array([scalar(name, one.value) for one in equal])
        if not pa.types.is_floating(scalars.type):  # hashes of 0.0 and -0.0 differ
            return _membership(values(name), scalars)
    parts = [matcher(part, values, scalar) for part in parts_of]
    if not parts:
        return lambda rows: pa.repeat(is_and, rows.num_rows)
    join: Callable[[Any, Any], Any] = pc.and_kleene if is_and else pc.or_kleene
    return lambda rows: reduce(join, (part(rows) for part in parts))


def _membership(of: Values, scalars: Any) -> Matcher:
    null = pa.scalar(None, pa.bool_())

    def match(rows: Any) -> Any:
        column = of(rows).cast(scalars.type)
        return pc.if_else(column.is_valid(), pc.is_in(column, value_set=scalars), null)

    return match
