"""Differences of an answer from what a check expects: the place and the kind, by which reports group failures.

Checks name no place: the objects of a parsed body note which member is read. A failed expectation is about the place that its
thread read last, in the latest of the answers that it read since it sent a request, unless the expectation says another place.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias, cast

Place: TypeAlias = "tuple[str | int, ...]"

ABSENT = object()  #: in the place of a member or item that a value does not have
NOTHING: tuple[object, ...] = (None, [], {})  #: values that a server may send for an absent member


class Kind(StrEnum):
    """The way in which an actual value differs from the expected one."""

    MISSING = "missing"
    SURPLUS = "surplus"
    VALUE = "another value"
    TYPE = "another type"
    SPELLING = "number as text"  #: or a text as number
    LOST = "lost change"  #: of simultaneous changes more were accepted than can have been made, or accepted ones were lost


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where an answer is not as expected."""

    at: str  #: JSON pointer into the body, or below each of its lines
    kind: Kind


class Members(dict[str, Any]):
    """A JSON object of an answer, which notes the member that is read; objects within it do so too.

    Args:
        members: the object.
        answer: number of the exchange with the answer.
        at: the place of the object in the body.
    """

    __slots__ = ("_answer", "_at")

    def __init__(self, members: Mapping[str, Any], answer: int, at: Place = ()) -> None:
        super().__init__(members)
        self._answer = answer
        self._at = at

    def __getitem__(self, name: str) -> Any:
        """Return a member."""
        return read(super().__getitem__(name), self._answer, (*self._at, name), self)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a member, or `default`."""
        return read(super().get(name, default), self._answer, (*self._at, name), self)

    def __contains__(self, name: object) -> bool:
        """Return whether there is such a member."""
        read(None, self._answer, (*self._at, str(name)), self)
        return super().__contains__(name)

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        """Return how a copy is made, which is no part of an answer."""
        return dict, (dict(self),)


class _Last(threading.local):
    answer = -1
    at: Place | None = None
    holder: Mapping[str, Any] = {}


_last = _Last()


def read(value: Any, answer: int, at: Place, holder: Any = None) -> Any:
    """Note that a place of an answer is read, unless a later answer was read before, and return its value.

    Args:
        value: the value at the place.
        answer: number of the exchange with the answer.
        at: the place in the body.
        holder: the object or array that holds the value.
    """
    if answer >= _last.answer:
        _last.answer, _last.at = answer, at
        _last.holder = holder if isinstance(holder, dict) else {}
    return Members(value, answer, at) if type(value) is dict else value


def plain(value: Any) -> Any:
    """Return an object of an answer as one that notes nothing."""
    return dict(value) if isinstance(value, Members) else value


def forget() -> None:
    """Forget the place that this thread read last: what follows is about another answer."""
    _last.answer, _last.at, _last.holder = -1, None, {}


def last_read(within: str = "") -> str | None:
    """Return the JSON pointer of the place that this thread read last; `None` if it read none since the last request.

    Args:
        within: a place within the value. If its first name is a member beside the one that was read last, the value was composed of
            such members.
    """
    if _last.at is None:
        return None
    steps = within.split("/")[1:]
    name = next((n for n, step in enumerate(steps) if not step.isdigit()), None)
    if name is not None and dict.__contains__(cast("dict[str, Any]", _last.holder), steps[name]):
        return pointer(*_last.at[:-1]) + "".join(f"/{step}" for step in steps[name:])
    return pointer(*_last.at) + within


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
        name = next((name for name in [*expected, *actual] if expected.get(name, ABSENT) != actual.get(name, ABSENT)), None)
        return Kind.VALUE if name is None else kind_of(expected.get(name, ABSENT), actual.get(name, ABSENT))
    if is_respelled(expected, actual):
        return Kind.SPELLING
    return Kind.VALUE if _json_type(expected) is _json_type(actual) else Kind.TYPE


def _kind_of_lists(expected: Sequence[Any], actual: Sequence[Any]) -> Kind:
    missing = [item for item in expected if item not in actual]
    surplus = [item for item in actual if item not in expected]
    if any(is_respelled(item, other) for item in missing for other in surplus):
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
