"""JSON documents, and reading members of a request.

The endpoint has validated the request against the contract's JSON Schema. This module refuses what
a schema cannot express: an integer written as 1.0 or out of range, an empty text. Positions in
messages are JSON pointers into the request body.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from lakepact.reference_server.http.problems import Problem

Document = dict[str, Any]

INT32 = range(-(2**31), 2**31)
INT64 = range(-(2**63), 2**63)
COUNT = range(2**63)  #: what cannot be negative and fits 64 bits
POSITIVE = range(1, 2**63)

LONGEST_SHOWN = 100  #: characters of a refused value that a message repeats


def hashable(value: Any) -> Hashable:
    """Return a form of a JSON value that is equal for equal values, and can be looked up."""
    if isinstance(value, dict):
        return frozenset((name, hashable(member)) for name, member in value.items())
    if isinstance(value, list):
        return tuple(map(hashable, value))
    result: Hashable = value
    return result


def refusal(where: str, why: str) -> Problem:
    """Return a request that can never succeed as it is."""
    return Problem(400, "BadRequestException", f"at {where}: {why}")


def stale(where: str, why: str) -> Problem:
    """Return a commit that can succeed once it is made again on top of the current table."""
    return Problem(
        409, "CommitFailedException", f"at {where}: {why}; load the table and commit on top of it"
    )


def as_text(value: Any) -> str:
    """Return a value as messages repeat it."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def exact(value: Any, where: str, *, within: range = INT64) -> int:
    """Return `value` if it is an integer of that range."""
    if type(value) is int and value in within:
        return value
    exactly = ", written without a fraction" if type(value) is float else ""
    raise refusal(
        where,
        f"expected an integer from {within.start} to {within.stop - 1}{exactly}, found"
        f" {as_text(value)}",
    )


def integer(document: Mapping[str, Any], member: str, where: str, *, within: range = INT64) -> int:
    """Return the member that is an integer of that range."""
    value = document.get(member)
    if (
        type(value) is int and value in within
    ):  # the place is spelled only for messages: this is asked some twenty times in a commit
        return value
    return exact(value, f"{where}/{member}", within=within)


def optional_integer(
    document: Mapping[str, Any], member: str, where: str, *, within: range = INT64
) -> int | None:
    """Return the member that is an integer of that range, or None when it is absent or null."""
    return None if document.get(member) is None else integer(document, member, where, within=within)


def text(document: Mapping[str, Any], member: str, where: str) -> str:
    """Return the member that is a text with at least one character."""
    value = document.get(member)
    if isinstance(value, str) and value:
        return value
    raise refusal(f"{where}/{member}", f"expected a text that is not empty, found {as_text(value)}")


def child(document: Mapping[str, Any], member: str, where: str) -> Any:
    """Return the member that is an object."""
    if type(document.get(member)) is dict:
        return document[member]
    raise refusal(f"{where}/{member}", f"expected an object, found {as_text(document.get(member))}")


def children(document: Mapping[str, Any], member: str, where: str) -> list[Any]:
    """Return the member that is an array."""
    if type(document.get(member)) is list:
        items: list[Any] = document[member]
        return items
    raise refusal(f"{where}/{member}", f"expected an array, found {as_text(document.get(member))}")


def objects(document: Mapping[str, Any], member: str, where: str) -> list[Any]:
    """Return the member that is an array of objects."""
    for index, value in enumerate(children(document, member, where)):
        if type(value) is not dict:
            raise refusal(
                f"{where}/{member}/{index}", f"expected an object, found {as_text(value)}"
            )
    items: list[Any] = document[member]
    return items


def texts(document: Mapping[str, Any], member: str, where: str) -> dict[str, str]:
    """Return the member that is an object of texts."""
    result: dict[str, str] = child(document, member, where)
    if set(map(type, result.values())) - {str}:
        name, value = next(
            (name, value) for name, value in result.items() if type(value) is not str
        )
        raise refusal(f"{where}/{member}/{name}", f"expected a text, found {as_text(value)}")
    return result


def kind_in(
    table: Mapping[str, Any], entry: Any, tag: str, where: str, *, noun: str, of: str
) -> str:
    """Return the kind of an update or requirement, if `table` has an entry for it.

    Args:
        table: an entry for each kind.
        entry: the update or requirement.
        tag: the member that names its kind.
        where: its place in the request.
        noun: `update` or `requirement`.
        of: `tables` or `views`.

    Raises:
        Problem: 400, the kind is missing or unknown.
    """
    kind: Any = entry.get(tag) if type(entry) is dict else None
    if isinstance(kind, str) and kind in table:
        return kind
    raise refusal(
        f"{where}/{tag}", f"{as_text(kind)} is no {noun} of {of}; {noun}s are {', '.join(table)}"
    )
