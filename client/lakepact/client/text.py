"""Text of others as it may stand on a terminal: nothing in it moves the cursor, changes colours,
breaks a line or turns its direction.
"""

from __future__ import annotations

import json
import unicodedata
from typing import Any

#: Control characters, invisible ones that direct text, separators of lines, and halves of
#: characters, which cannot be encoded.
_ACTING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_KNOWN = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def plain(text: object) -> str:
    """Return the text with every character that acts instead of being seen spelled out, as escapes
    are in Python; it is one line.
    """
    string = str(text)
    return string if string.isascii() and string.isprintable() else "".join(map(_escape, string))


def json_line(document: Any, *, indent: int | None = None) -> str:
    """Return the document as JSON text, in which such characters are written as JSON escapes, so
    that it still says the same.
    """
    text = json.dumps(document, ensure_ascii=False, indent=indent)
    return (
        text
        if text.isascii() and text.isprintable()
        else "".join(_in_json(character) for character in text)
    )


def width(text: str) -> int:
    """Return how many cells of a terminal the text fills."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def cut(text: str, cells: int) -> str:
    """Return the text, in no more cells than that; what is missing is an ellipsis."""
    if width(text) <= cells:
        return text
    head, size = "", 0
    for character in text:
        size += _cells(character)
        if size > cells - 1:
            break
        head += character
    return f"{head}…"


def _escape(character: str) -> str:
    if unicodedata.category(character) not in _ACTING:
        return character
    number = ord(character)
    return _KNOWN.get(character) or (
        f"\\x{number:02x}"
        if number < 0x100
        else f"\\u{number:04x}"
        if number < 0x10000
        else f"\\U{number:08x}"
    )


def _in_json(character: str) -> str:
    # The line feeds of an indented document are its layout; those inside of strings are escapes
    # already.
    if character == "\n" or unicodedata.category(character) not in _ACTING:
        return character
    return json.dumps(character)[1:-1]


def _cells(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"F", "W"} else 1
