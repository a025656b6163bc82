"""Evaluation of hints as the most used server does it: with the range of a column in a file, and
`not` of what may be in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from lakepact.client.delta_sharing.lines import SharedFile

_READ: dict[str, Callable[[Any], Any]] = {
    "bool": lambda text: {"true": True, "false": False}[str(text).lower()],
    "date": date.fromisoformat,
    "double": float,
    "long": lambda text: int(str(text)),
    "string": lambda text: text.encode("utf-16-be", "surrogatepass"),
    "timestamp": lambda text: _milliseconds(datetime.fromisoformat(text)),
}
_COMPARED: dict[str, Callable[[Any, Any, Any], bool]] = {
    "equal": lambda low, high, value: low <= value <= high,
    "lessThan": lambda low, _, value: low < value,
    "lessThanOrEqual": lambda low, _, value: low <= value,
    "greaterThan": lambda _, high, value: high > value,
    "greaterThanOrEqual": lambda _, high, value: high >= value,
}


def may_match(tree: Any, file: SharedFile) -> bool:
    """Return whether the server lists a file."""
    return _result(tree, file) is not False


def _result(tree: Any, file: SharedFile) -> bool | None:
    """Return the result of a predicate; None for that which the server cannot evaluate."""
    op, children = tree["op"], tree["children"]
    if op in {"and", "or"}:
        results = [_result(child, file) for child in children]
        decisive = op == "or"
        return decisive if decisive in results else None if None in results else not decisive
    if op == "not":
        inner = _result(children[0], file)
        return None if inner is None else not inner
    bounds = _range(children[0]["name"], file)
    if op == "isNull":
        return bounds is None
    if bounds is None:
        return None
    read = _READ[children[0]["valueType"]]
    try:
        return _COMPARED[op](read(bounds[0]), read(bounds[1]), read(children[1]["value"]))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _range(name: str, file: SharedFile) -> tuple[Any, Any] | None:
    if name in file.partition_values:
        return (file.partition_values[name],) * 2
    statistics = json.loads(file.stats or "{}", parse_float=str)
    low, high = (statistics.get(side, {}).get(name) for side in ("minValues", "maxValues"))
    return None if low is None or high is None else (low, high)


def _milliseconds(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
