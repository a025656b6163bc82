"""Names of several levels as they are written on a command line: `sales.emea.orders`, and
`sales."a.b"` where a level holds a dot.
"""

from __future__ import annotations

from collections.abc import Iterable


def parts(text: str, between: str = ".") -> tuple[str, ...]:
    """Return the parts of a text.

    Args:
        text: The text; a part in double quotes may hold anything, a double quote being written
            twice.
        between: The character that stands between parts.

    Raises:
        ValueError: A part is empty, or a double quote is not closed.
    """
    levels: list[str] = []
    rest = text
    while True:
        part, rest = (
            _level_in_quotes(rest, text) if rest.startswith('"') else _plain_level(rest, between)
        )
        if not part:
            raise ValueError(f"a part of {text!r} is empty")
        levels.append(part)
        if not rest:
            return tuple(levels)
        if not rest.startswith(between):
            raise ValueError(f"in {text!r}, {between!r} has to follow a part in double quotes")
        rest = rest[len(between) :]


def whole(levels: Iterable[str], between: str = ".") -> str:
    """Return the text whose parts these are."""
    return between.join(_quote(level, between) for level in levels)


def _plain_level(text: str, between: str) -> tuple[str, str]:
    end = text.find(between)
    return (text, "") if end < 0 else (text[:end], text[end:])


def _level_in_quotes(text: str, all_of_it: str) -> tuple[str, str]:
    part, rest = "", text[1:]
    while True:
        before, quote, rest = rest.partition('"')
        if not quote:
            raise ValueError(f"a double quote is not closed in {all_of_it!r}")
        part += before
        if not rest.startswith('"'):
            return part, rest
        part, rest = f'{part}"', rest[1:]


def _quote(level: str, between: str) -> str:
    escape = level.replace('"', '""')
    return f'"{escape}"' if between in level or level.startswith('"') or not level else level
