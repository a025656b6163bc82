"""The outcome of a task, from what the client reports and from what the server stores."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from lakepact.conformance.programs.everyday.programme import REFUSED
from lakepact.conformance.programs.program import in_order
from lakepact.generated.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from lakepact.conformance.programs.everyday.programme import Step
    from lakepact.conformance.programs.program import Ended

CONTRACT, VERSION = "iceberg_rest", "1.11.0"
WORKS, REFUSES, FAILS, WRONG = "works", "refuses", "fails", "wrong"
SEVERITY = (WORKS, REFUSES, FAILS, WRONG)
#: Errors of the client's own code, whatever else their message names.
CRASHES = re.compile(
    r"NullPointerException|IndexOutOfBounds|ClassCastException|panic|INTERNAL Error|"
    r"\bTypeError|AttributeError|IndexError|AssertionError|StopIteration"
)
QUOTED = re.compile(
    r"\{\".*\}", re.DOTALL
)  #: an answer that a message quotes, whose members it does not name
STATUS = re.compile(r"(?<![\d.])[45]\d\d(?!\d)|\b(?:code|status)\W{1,3}[23]\d\d")
#: Names in quotes, in a path of members, beside a colon, before a slash, alone in a line, or as
#: what cannot be parsed.
NAMES = re.compile(
    r"""[\x60"'“./]([A-Za-z][\w-]*)(?=[\x60"'”:.\s])|\b([a-z][\w-]*)(?=[:/])|: ([a-z][\w-]*)$|"""
    r"""^([a-z][\w-]*)(?:\.[\w.-]+)?$|parse ([a-z][\w-]*) from""",
    re.MULTILINE,
)
OF_ANY_ERROR = frozenset(
    {"error", "message", "type", "code", "name", "stack"}
)  #: members that messages name without meaning them
WORD = re.compile(r"[\w-]+")
OTHER = re.compile(r"[^a-z0-9]+")
REQUEST = "/v1/"  #: in the path of each request
VOLATILE = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "UUID"),
    (re.compile(r", input_value=.*", re.DOTALL), ""),
    (QUOTED, "{…}"),
    (re.compile(r"file:[^\s\"',;)]*|/(?:home|opt|root|tmp|usr|var|work)/[^\s\"',;:)]*"), "PATH"),
    (re.compile(r"(?:https?://)?127\.0\.0\.1:\d+"), "SERVER"),
    (re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{12,}\b|\b\d{9,}\b"), "NUMBER"),
)
IDENTIFIER = re.compile(r"(uuid|location|snapshot) \d+")  #: as `content` numbers them
LONGEST = 160  #: characters of a detail


@dataclass(frozen=True)
class Finding:
    """The outcome of a task."""

    outcome: str
    task: str = ""
    detail: str = ""


def error_of(step: Step, end: Ended, error: str, objects: Collection[str]) -> Finding:
    """Return the finding about a task that ended without a result.

    Args:
        step: the task.
        end: how it ended.
        error: the type of the error that the task reports on the sound server; empty if it succeeds
            there.
        objects: the names and ids in the arguments of the task.
    """
    if end.is_late:
        return Finding(FAILS, step.task, f"no answer within {end.seconds:.0f} seconds")
    if not end.error:
        return Finding(FAILS, step.task, f"the client ended: {end.why.partition(';')[0]}")
    if end.error == error:
        return Finding(WORKS)
    clear = is_clear(f"{end.error}\n{end.why}", objects)
    return Finding(REFUSES if clear else FAILS, step.task, short(f"{end.error}: {end.why}"))


def is_clear(text: str, objects: Collection[str]) -> bool:
    """Return whether an error names the answer's status, error type or member, the request or the
    object, and is no crash of the client.
    """
    if CRASHES.search(text):
        return False
    text = QUOTED.sub("", text)
    if STATUS.search(text) or REQUEST in text:
        return True
    names = {name for groups in NAMES.findall(text) for name in groups} - OF_ANY_ERROR
    words = {*objects, *members(), *error_types(), *Contract(CONTRACT, VERSION).operations}
    return bool(
        words.intersection(WORD.findall(text)) or names & every_member() or _spells_member(text)
    )


def _spells_member(text: str) -> bool:
    """Return whether a text has the words of a member side by side, such as
    `current snapshot ID`.
    """
    text_ = f"-{OTHER.sub('-', text.lower())}-"
    return any(f"-{name}-" in text_ for name in every_member() if "-" in name)


@cache
def error_types() -> frozenset[str]:
    """Return the error types that the contract names."""
    operations = Contract(CONTRACT, VERSION).operations.values()
    return frozenset(
        name
        for operation in operations
        for answer in operation.answers.values()
        for name in answer.errors
    )


@cache
def every_member() -> frozenset[str]:
    """Return the names of all members of the contract's documents."""
    return frozenset(_members(Contract(CONTRACT, VERSION).schemas))


@cache
def members() -> frozenset[str]:
    """Return the members whose names are several words, in the spelling of Java and Go."""
    return frozenset(_camel(name) for name in every_member() if "-" in name)


def _camel(name: str) -> str:
    first, *rest = name.split("-")
    return first + "".join(map(str.title, rest))


def _members(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        properties = schema.get("properties")
        yield from properties if isinstance(properties, dict) else ()
        for value in schema.values():
            yield from _members(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _members(item)


def differing(step: Step, actual: Any, sound: Any) -> str:
    """Return how a result differs from the one on the sound server; empty if it does not."""
    if step.expected == REFUSED:
        return "success instead of an error"
    actual, sound = in_order(actual), in_order(sound)
    return "" if actual == sound else short(difference(sound, actual))


def difference(expected: Any, actual: Any, place: str = "") -> str:
    """Return the first place where two values differ, with both values."""
    at = f" at {place}" if place else ""
    if isinstance(expected, dict) and isinstance(actual, dict):
        name = next(name for name in [*expected, *actual] if expected.get(name) != actual.get(name))
        return difference(expected.get(name), actual.get(name), f"{place}/{name}")
    if (
        isinstance(expected, list)
        and isinstance(actual, list)
        and any(isinstance(item, dict) for item in [*expected, *actual])
    ):
        if len(expected) != len(actual):
            noun = "rows" if any("data" in item for item in [*expected, *actual]) else "items"
            return f"{len(actual)} {noun} instead of {len(expected)}{at}"
        position = next(
            index
            for index, (expected_item, actual_item) in enumerate(zip(expected, actual, strict=True))
            if expected_item != actual_item
        )
        return difference(expected[position], actual[position], f"{place}/{position}")
    is_foreign = (
        isinstance(expected, str)
        and IDENTIFIER.fullmatch(expected)
        and not IDENTIFIER.fullmatch(str(actual))
    )
    return (
        f"{'an unknown one' if is_foreign and actual is not None else _short(actual)} instead of"
        f" {_short(expected)}{at}"
    )


def _short(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "an object"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def short(text: str) -> str:
    """Return a text in one line without what differs between two runs."""
    for pattern, word in VOLATILE:
        text = pattern.sub(word, text)
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
