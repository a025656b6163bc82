"""JSON from outside, read strictly: whatever is accepted here can be stored and sent again without
a change of meaning.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import orjson

#: of arrays and objects within each other; documents are sent within others, and orjson writes no
#: more than 254
MAX_DEPTH = 200


class NotJson(ValueError):
    """The bytes are not JSON that can be stored; the message names the fault and its place."""


def count_values(raw: bytes) -> int:
    """Return how many values JSON holds at most, by its commas and opening brackets; those in texts
    count too.
    """
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{") + 1


def read_json(raw: bytes) -> Any:
    """Return the value that `raw` holds.

    Raises:
        NotJson: broken JSON or UTF-8, members that are given twice, U+0000, NaN, numbers or nesting
            beyond what can be kept.
    """
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise NotJson(_explain(raw, error)) from None
    try:
        text = orjson.dumps(
            _deeper(value) if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH else value
        )
    except TypeError:
        raise NotJson(f"the body nests arrays and objects more than {MAX_DEPTH} deep") from None
    # A member that is given twice is lost in `value`, and its quotes with it; escapes may spell
    # quotes and U+0000.
    if raw.count(b'"') != text.count(b'"') or (b"\\" in raw and b"\\u00" in raw):
        _read_slowly(raw)
    return value


def _deeper(value: Any) -> Any:
    """Return a value so deep in arrays that it cannot be written if it nests more than is
    allowed.
    """
    for _ in range(254 - MAX_DEPTH):
        value = [value]
    return value


def pointer_to(path: list[str | int]) -> str:
    """Return a place in a document as messages name it: a JSON pointer, except for the document
    itself.
    """
    return (
        "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path) or "the top"
    )


def _explain(raw: bytes, error: orjson.JSONDecodeError) -> str:
    if not raw:
        return "the body is empty, but JSON is required"
    try:
        text = raw.decode()
    except UnicodeDecodeError as broken:
        return f"the body is not UTF-8: byte {broken.start} is 0x{raw[broken.start]:02x}"
    if "depth limit" in error.msg:
        return f"the body nests arrays and objects more than {MAX_DEPTH} deep"
    for word in ("NaN", "Infinity"):
        if text.startswith(word, error.pos):
            return (
                f"the body is not JSON: {word} at line {error.lineno} column {error.colno} is not a"
                " JSON number"
            )
    return f"the body is not JSON: {error.msg} at line {error.lineno} column {error.colno}"


_Path = tuple["_Path", str | int] | None  #: the place around a value, and the last step to it


class _Twice:
    """Stands where an object has a member twice."""

    def __init__(self, name: str) -> None:
        self.name = name


def _pairs(pairs: list[tuple[str, Any]]) -> Any:
    document = dict(pairs)
    if len(document) == len(pairs):
        return document
    return _Twice(
        next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
    )


def _read_slowly(raw: bytes) -> None:
    # Numbers are read by then; here they only cost time.
    value = json.loads(raw, object_pairs_hook=_pairs, parse_int=len, parse_float=len)
    steps: list[tuple[_Path, Any]] = [(None, value)]
    while steps:
        path, here = steps.pop()
        if isinstance(here, _Twice):
            raise NotJson(f"at {_pointer(path)}: the member {here.name!r} is given twice")
        if isinstance(here, str) and "\0" in here:
            raise NotJson(f"at {_pointer(path)}: the text contains U+0000")
        if isinstance(here, dict):
            members: dict[str, Any] = here
            for name, member in members.items():
                if "\0" in name:
                    raise NotJson(
                        f"at {_pointer(path)}: the name of the member {name!r} contains U+0000"
                    )
                steps.append(((path, name), member))
        elif isinstance(here, list):
            items: list[Any] = here
            steps.extend(((path, index), item) for index, item in enumerate(items))


def _pointer(path: _Path) -> str:
    steps: list[str | int] = []
    while path is not None:
        path, step = path
        steps.append(step)
    return pointer_to(steps[::-1])
