"""Text of targets, escaped for each form of output, so that it is shown and never interpreted.

A target may send terminal escape sequences, markup, bidirectional overrides and lone surrogates. Every output writes such text through
the one function of its form.
"""

from __future__ import annotations

import html as _html
import re
import shlex
import unicodedata
from typing import TYPE_CHECKING, Any

import orjson
from rich.markup import escape as _without_markup

if TYPE_CHECKING:
    from collections.abc import Callable

#: Control characters, invisible ones that direct text, separators of lines, and halves of characters, which cannot be encoded.
_ACTING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_KNOWN = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MARKDOWN = re.compile(r"[\\`*_\[\]|~]")
#: What GitHub turns into links and mentions where nothing marks them, and what begins HTML, as entities.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "://": "&#58;//", "www.": "www&#46;", "@": "&#64;"}
_BACKTICKS = re.compile("`+")


def plain(text: object) -> str:
    """One line of text, in which every character that acts is spelled out as an escape."""
    said = str(text)
    return said if said.isascii() and said.isprintable() else _respelled(said, _spelled)


def terminal(text: object) -> str:
    """Text for a terminal, in what `rich` prints."""
    return _without_markup(plain(text))


def html(text: object) -> str:
    """Text for an element or an attribute of HTML or SVG."""
    return _html.escape(plain(text))


def html_lines(text: str) -> str:
    """Text for an element of HTML that keeps its lines."""
    return "\n".join(map(html, text.split("\n")))


def xml(text: object) -> str:
    """Text for XML that a library writes: it lacks what XML forbids, and the library escapes what is markup."""
    return "\n".join(map(plain, str(text).split("\n")))


def markdown(text: object) -> str:
    """Text within a line or a cell of Markdown."""
    said = _MARKDOWN.sub(r"\\\g<0>", plain(text))
    for sign, entity in _ENTITIES.items():
        said = said.replace(sign, entity)
    return said


def code(text: object) -> str:
    """A code span of Markdown."""
    said = plain(text)
    fence = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(said)), default=0))
    space = " " if not said or "`" in (said[0], said[-1]) or (said[0] == said[-1] == " ") else ""
    return f"{fence}{space}{said}{space}{fence}"


def code_cell(text: object) -> str:
    """A code span in a cell of a table of Markdown, where a bar would end the cell."""
    return code(text).replace("|", "\\|")


def shell(content: str | bytes) -> str:
    """One word of a shell."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(chr(b) if 32 <= b < 127 and b not in b"'\\" else f"\\x{b:02x}" for b in content) + "'"


def json(document: Any, *, indent: bool = False) -> str:
    """A document as JSON, in which characters that act are escapes, so that it still says the same."""
    option = orjson.OPT_INDENT_2 if indent else None
    try:
        text = orjson.dumps(document, option=option).decode()
    except TypeError:  # a half of a character
        text = orjson.dumps(_whole(document), option=option).decode()
    return text if text.isascii() and "\x7f" not in text else _respelled(text, _in_json)


def toml(text: str) -> str:
    """A basic string of TOML, in quotes."""
    return '"' + _respelled(text.replace("\\", "\\\\").replace('"', '\\"'), _in_toml) + '"'


def _respelled(text: str, spell: Callable[[str], str]) -> str:
    return "".join(spell(character) if unicodedata.category(character) in _ACTING else character for character in text)


def _spelled(character: str) -> str:
    number = ord(character)
    return _KNOWN.get(character) or (
        f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
    )


def _in_json(character: str) -> str:
    if character == "\n":  # of an indented document; those of texts are escapes already
        return character
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _in_toml(character: str) -> str:
    number = ord(character)
    if unicodedata.category(character) == "Cs":  # TOML has none
        return f"\\\\u{number:04x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _whole(value: Any) -> Any:
    """The same without halves of characters."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_whole(name): _whole(member) for name, member in value.items()}
    return [_whole(item) for item in value] if isinstance(value, (list, tuple)) else value
