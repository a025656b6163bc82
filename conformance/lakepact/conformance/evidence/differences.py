"""Differences of an answer from what a check expects: the place and the kind, by which reports
group failures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from lakepact.conformance.evidence.replaying import ABSENT

NOTHING: tuple[object, ...] = (None, [], {})  #: values that a server may send for an absent member


class Kind(StrEnum):
    """The way in which an actual value differs from the expected one."""

    MISSING = "missing"
    SURPLUS = "surplus"
    VALUE = "another value"
    TYPE = "another type"
    SPELLING = "number as text"  #: or a text as number
    #: of simultaneous changes more were accepted than can have been made, or accepted ones were
    #: lost
    LOST = "lost change"


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where an answer is not as expected."""

    at: str  #: JSON pointer into the body; a body in lines is the array of its lines
    kind: Kind


@lru_cache(4096)  # most places are expected of many answers
def pointer(*steps: str | int) -> str:
    """Return the JSON pointer of some steps."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


def kind_of(expected: Any, actual: Any) -> Kind:
    """Return in which way two JSON values differ; of lists, items count and not their order."""
    if expected is ABSENT or expected in NOTHING:
        return Kind.SURPLUS
    if actual is ABSENT or actual in NOTHING:
        return Kind.MISSING
    if isinstance(expected, list | tuple) and isinstance(actual, list | tuple):
        return _kind_of_lists(expected, actual)
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        name = next(
            (
                name
                for name in [*expected, *actual]
                if expected.get(name, ABSENT) != actual.get(name, ABSENT)
            ),
            None,
        )
        within = (
            Kind.VALUE
            if name is None
            else kind_of(expected.get(name, ABSENT), actual.get(name, ABSENT))
        )
        return (
            Kind.SPELLING
            if any(is_respelled(name, other) for other in [*expected, *actual])
            else within
        )
    if is_respelled(expected, actual):
        return Kind.SPELLING
    return Kind.VALUE if _json_type(expected) is _json_type(actual) else Kind.TYPE


def _kind_of_lists(expected: Sequence[Any], actual: Sequence[Any]) -> Kind:
    missing = [item for item in expected if item not in actual]
    surplus = [item for item in actual if item not in expected]
    pairs = zip(missing, surplus, strict=False)
    if any(is_respelled(item, other) for item in missing for other in surplus) or any(
        kind_of(*pair) is Kind.SPELLING for pair in pairs
    ):
        return Kind.SPELLING
    if bool(missing) is bool(surplus):
        return Kind.VALUE
    return Kind.MISSING if missing else Kind.SURPLUS


def is_respelled(expected: Any, actual: Any) -> bool:
    """Return whether one value is a number and the other one its text."""
    kinds = {type(expected), type(actual)}
    return str in kinds and bool(kinds & {int, float}) and str(expected) == str(actual)


def _json_type(value: Any) -> type:
    if isinstance(value, Mapping):
        return dict
    if isinstance(value, (tuple, set, frozenset)):
        return list
    return float if type(value) is int else type(value)
