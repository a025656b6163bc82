"""The words, numbers, texts and signs of a hint in SQL."""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?(?:BD|bd|[LlSsYyDdFf])?(?![\w.]))
    | (?P<text>'(?:[^'\\]|\\.|'')*')
    | (?P<double>"(?:[^"\\]|"")*")
    | (?P<quoted>`(?:[^`]|``)*`)
    | (?P<word>[^\W\d]\w*)
    | (?P<sign><=>|<=|>=|<>|!=|==|[=<>(),.+-])
    )""",
    re.VERBOSE | re.DOTALL,
)
SUFFIX = re.compile(r"(?:BD|bd|[LlSsYyDdFf])$")
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "0": "\0",
    "Z": "\x1a",
    "%": "\\%",
    "_": "\\_",
}


class Unusable(ValueError):
    """A hint that this server cannot read; the message says why."""


class Token(NamedTuple):
    """One of them."""

    sort: str
    text: str

    @property
    def word(self) -> str | None:
        """The word, in capitals."""
        return self.text.upper() if self.sort == "word" else None


END = Token("end", "")


def tokens(hint: str) -> list[Token]:
    """Return the tokens of a hint, followed by `END`.

    Raises:
        Unusable: the hint has an unknown token.
    """
    result, at, end = list[Token](), 0, len(hint.rstrip())
    while at < end:
        match = _TOKEN.match(hint, at)
        if match is None or match.lastgroup is None:
            raise Unusable(f"cannot be read from character {at} on")
        result.append(Token(match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return [*result, END]


def readings(inner: str) -> tuple[str, ...]:
    """Return the possible meanings of a quoted text: dialects differ in backslashes and doubled
    quotes.

    Raises:
        Unusable: it has too many meanings.
    """
    if "\\" not in inner and "''" not in inner:
        return (inner,)
    plain = re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), inner, flags=re.DOTALL)
    if re.search(r"\\[uU0-7]", inner):
        raise Unusable("escapes by number are not understood")
    if re.search(r"\\'", inner):
        if "''" in inner:
            raise Unusable("two ways to write a quote")
        return (plain,)
    return (
        inner.replace("''", "'"),
        inner.replace("''", ""),
        plain.replace("''", "'"),
        plain.replace("''", ""),
    )
