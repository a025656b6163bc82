"""Two values of a cell: the places in which they differ, and both in a form that shows each
character.
"""

from __future__ import annotations

import itertools
import json
import unicodedata
from collections.abc import Iterator
from typing import Any

from lakepact.conformance.evidence.arrow import pa
from lakepact.data.compare.expressions import Kinds, is_list, is_nested, is_text, shared_members

MOST = 5  #: differences of one cell that are shown
SHOWN = 80  #: characters of a value around the first one that differs
MISSING = "missing"


class Bare(str):
    """A number as its text has it, so that no digit is lost."""

    __slots__ = ()


def cell_differences(kinds: Kinds, a: str | None, b: str | None) -> Iterator[tuple[str, str, str]]:
    """Yield the paths in a cell at which two values differ, with both values.

    Args:
        kinds: The types of the column on both sides.
        a: The value of side A as the engine wrote it: JSON for nested types.
        b: The value of side B.
    """
    pairs = _walk(kinds, _parse(kinds, a), _parse(kinds, b), "")
    for path, inner, (left, right) in itertools.islice(pairs, MOST):
        yield path, *_around(_display(inner, left), _display(inner, right))


def display(kinds: Kinds, value: str | None) -> str:
    """Return a value as a person reads it: texts in quotes, so that `null` is none of them."""
    return _cut(_display(kinds, _parse(kinds, value)), 0)


def visible(text: str) -> str:
    """Return a text in quotes, with characters spelled out that look like nothing or like
    others.
    """
    return '"' + "".join(map(_character, text)) + '"'


def _character(one: str) -> str:
    if one in {'"', "\\"}:
        return f"\\{one}"
    if one == " " or (one.isprintable() and not unicodedata.combining(one)):
        return one
    return f"\\u{ord(one):04x}" if ord(one) < 1 << 16 else f"\\U{ord(one):08x}"


def _parse(kinds: Kinds, value: str | None) -> Any:
    if value is None or not is_nested(kinds[0]):
        return value
    parsers: dict[str, Any] = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), Bare)
    return json.loads(value, **parsers)


def _walk(kinds: Kinds, a: Any, b: Any, path: str) -> Iterator[tuple[str, Kinds, tuple[Any, Any]]]:
    """Yield paths with their types and both values; `...` stands for an item that a side lacks."""
    if not (isinstance(a, list | dict) and isinstance(b, list | dict)):
        if a != b:
            yield path, kinds, (a, b)
        return
    left, right = (
        {step: (inner, part) for step, inner, part in _parts(kinds, value)} for value in (a, b)
    )
    for step in dict.fromkeys((*left, *right)):
        inner = (left.get(step) or right[step])[0]
        values = [side[step][1] if step in side else ... for side in (left, right)]
        yield from _walk(inner, values[0], values[1], path + step)


def _parts(kinds: Kinds, value: Any) -> Iterator[tuple[str, Kinds, Any]]:
    """Yield the steps into a nested value, each with its types and its value."""
    if is_list(kinds[0]):
        items = _both(kinds, "value_type")
        yield from ((f"[{n}]", items, item) for n, item in enumerate(value))
    elif pa.types.is_map(kinds[0]):
        keys, items = _both(kinds, "key_type"), _both(kinds, "item_type")
        yield from ((f"[{_display(keys, entry['m0'])}]", items, entry["m1"]) for entry in value)
    else:
        for n, (name, members) in enumerate(shared_members(kinds)):
            yield f".{name if name.isidentifier() else visible(name)}", members, value[f"m{n}"]


def _both(kinds: Kinds, member: str) -> Kinds:
    return getattr(kinds[0], member), getattr(kinds[1], member)


def _display(kinds: Kinds, value: Any) -> str:
    if value is None or value is ...:
        return "null" if value is None else MISSING
    if isinstance(value, list | dict):
        parts = [(step, _display(inner, part)) for step, inner, part in _parts(kinds, value)]
        if is_list(kinds[0]):
            return f"[{', '.join(text for _, text in parts)}]"
        return "{" + ", ".join(f"{step.strip('.[]')}: {text}" for step, text in parts) + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    return visible(value) if is_text(kinds[0]) else str(value)


def _around(a: str, b: str) -> tuple[str, str]:
    """Return both texts, long ones cut to what is around the first character that differs."""
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False))
    place = sum(1 for _ in same)
    start = 0 if place < SHOWN else place - SHOWN // 2
    first, second = (_cut(text, start) for text in (a, b))
    return first, second


def _cut(text: str, start: int) -> str:
    part = ("…" if start else "") + text[start : start + SHOWN * 2]
    return part + (f"… ({len(text):,} characters)" if len(text) > start + SHOWN * 2 else "")
