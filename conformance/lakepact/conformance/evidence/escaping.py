"""Text from targets, escaped for each output format, so that it is shown and never interpreted.

A target may send terminal escape sequences, markup, bidirectional overrides and lone surrogates.
Every output writes such text through the one function for its format.
"""

from __future__ import annotations

import html as _html
import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

import orjson
from rich.markup import escape as _without_markup

#: Control characters, bidirectional controls, line separators, and lone surrogates.
_ACTING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_KNOWN = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MARKDOWN = re.compile(r"[\\`*_\[\]|~]")
#: Characters that GitHub turns into links, mentions or HTML, as entities.
_ENTITIES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "://": "&#58;//",
    "www.": "www&#46;",
    "@": "&#64;",
}
_BACKTICKS = re.compile("`+")
_CODE_SPAN = re.compile("(?<!`)`([^`]+)`(?!`)")


def plain(text: object) -> str:
    """Return one line of text in which control characters are escaped."""
    line = str(text)
    return line if line.isascii() and line.isprintable() else _escape(line, _escape_character)


def terminal(text: object) -> str:
    """Escape text for `rich` on a terminal."""
    return _without_markup(plain(text))


def html(text: object) -> str:
    """Escape text for an element or attribute of HTML or SVG."""
    return _html.escape(plain(text))


def html_lines(text: str) -> str:
    """Escape text of several lines for an HTML element."""
    return "\n".join(map(html, text.split("\n")))


def xml(text: object) -> str:
    """Remove characters that XML forbids; the XML library escapes markup."""
    return "\n".join(map(plain, str(text).split("\n")))


def markdown(text: object) -> str:
    """Escape text for a line or table cell of Markdown."""
    line = _MARKDOWN.sub(r"\\\g<0>", plain(text))
    for sign, entity in _ENTITIES.items():
        line = line.replace(sign, entity)
    return line


def code(text: object) -> str:
    """Return a code span of Markdown."""
    span = plain(text)
    fence = _fence(span, least=1)
    space = " " if not span or "`" in (span[0], span[-1]) or (span[0] == span[-1] == " ") else ""
    return f"{fence}{space}{span}{space}{fence}"


def code_block(lines: Iterable[str], language: str) -> list[str]:
    """Return the lines of a code block of Markdown; none of them ends it."""
    plain_lines = [plain(line) for line in lines]
    fence = _fence("\n".join(plain_lines), least=3)
    return [f"{fence}{language}", *plain_lines, fence]


def _fence(text: str, *, least: int) -> str:
    """Return more backticks than stand together in a text."""
    return "`" * max(least, 1 + max((len(run) for run in _BACKTICKS.findall(text)), default=0))


def code_cell(text: object) -> str:
    """Return a code span for a table cell of Markdown, with `|` escaped."""
    return code(text).replace("|", "\\|")


def markdown_sentence(text: str) -> str:
    """Escape a sentence for a line or table cell of Markdown; code in backticks stays code."""
    return _with_code(text, markdown, code_cell)


def html_sentence(text: str) -> str:
    """Escape a sentence for an HTML element; code in backticks becomes a `code` element."""
    return _with_code(text, html, lambda inside: f"<code>{html(inside)}</code>")


def _with_code(text: str, outside: Callable[[str], str], inside: Callable[[str], str]) -> str:
    *pairs, last = _CODE_SPAN.split(text)
    spans = zip(pairs[::2], pairs[1::2], strict=True)
    return "".join(outside(before) + inside(span) for before, span in spans) + outside(last)


def shell(content: str | bytes) -> str:
    """Quote one word for a shell."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if text.isprintable():
        return shlex.quote(text)
    return (
        "$'"
        + "".join(chr(b) if 32 <= b < 127 and b not in b"'\\" else f"\\x{b:02x}" for b in content)
        + "'"
    )


def json(document: Any, *, indent: bool = False) -> str:
    """Return a document as JSON with control characters escaped."""
    option = orjson.OPT_INDENT_2 if indent else None
    try:
        text = orjson.dumps(document, option=option).decode()
    except TypeError:  # a lone surrogate
        text = orjson.dumps(_whole(document), option=option).decode()
    return text if text.isascii() and "\x7f" not in text else _escape(text, _in_json)


def toml(text: str) -> str:
    """Return a basic TOML string, in quotes."""
    return '"' + _escape(text.replace("\\", "\\\\").replace('"', '\\"'), _in_toml) + '"'


def _escape(text: str, escape: Callable[[str], str]) -> str:
    return "".join(
        escape(character) if unicodedata.category(character) in _ACTING else character
        for character in text
    )


def _escape_character(character: str) -> str:
    number = ord(character)
    return _KNOWN.get(character) or (
        f"\\x{number:02x}"
        if number < 0x100
        else f"\\u{number:04x}"
        if number < 0x10000
        else f"\\U{number:08x}"
    )


def _in_json(character: str) -> str:
    if character == "\n":  # of the indentation; those in strings are escaped already
        return character
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _in_toml(character: str) -> str:
    number = ord(character)
    if unicodedata.category(character) == "Cs":  # TOML allows none
        return f"\\\\u{number:04x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _whole(value: Any) -> Any:
    """Return the text without lone surrogates."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_whole(name): _whole(member) for name, member in value.items()}
    return [_whole(item) for item in value] if isinstance(value, (list, tuple)) else value
