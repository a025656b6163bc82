"""Namespaces, tables and views by name: their keys, spellings and refusals."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.storage.store import Key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.reference_server.storage.store import Place

NAMESPACES = "namespaces"  #: the collection of namespaces, each in the place of its parent
IDENTIFIERS = "identifiers"  #: the collection of tables and views, each in the place of its namespace
SEPARATOR = "\x1f"  #: between the levels of a namespace in a path or query
#: Suffixes of messages about tables and views; they begin like those of Iceberg's server, which clients and their tests parse.
NOWHERE = "; neither does its namespace"
LONGEST_NAME = 1000  #: characters of a name; longer ones do not fit into a path for all clients


def namespace_key(levels: Sequence[str]) -> Key:
    """Return the key of a namespace; the empty namespace has none."""
    return Key(NAMESPACES, tuple(levels[:-1]), levels[-1] if levels else "")


def identifier_key(levels: Sequence[str], name: str) -> Key:
    """Return the key of a table or view."""
    return Key(IDENTIFIERS, tuple(levels), name)


def levels_of(namespace: str) -> Place:
    """Return the levels of a namespace as a path or query spells it."""
    return tuple(namespace.split(SEPARATOR))


def shown(levels: Sequence[str], name: str | None = None) -> str:
    """Return a namespace, table or view as messages spell it."""
    spelled = ".".join([*levels, *([name] if name is not None else [])]).replace(SEPARATOR, ".")
    return spelled if len(spelled) <= 200 else spelled[:199] + "…"


def bad_request(message: str) -> Problem:
    """Return a request that can never succeed as it is."""
    return Problem(400, "BadRequestException", message)


def no_such_namespace(levels: Sequence[str]) -> Problem:
    """Return the refusal of a missing namespace."""
    return Problem(404, "NoSuchNamespaceException", f"Namespace does not exist: {shown(levels)}")


def no_such_table(levels: Sequence[str], name: str, *, homeless: bool = False) -> Problem:
    """Return the refusal of a missing table, or of a view in its place; `homeless` if the namespace is missing too."""
    return Problem(404, "NoSuchTableException", f"Table does not exist: {shown(levels, name)}{NOWHERE if homeless else ''}")


def check_name(name: str, what: str) -> None:
    """Refuse a name that no path could address."""
    if not name:
        raise bad_request(f"{what} must not be empty")
    if name in {".", ".."}:
        raise bad_request(f"{what} must not be {name!r}: in a path it means another place")
    if len(name) > LONGEST_NAME:
        raise bad_request(f"{what} must not be longer than {LONGEST_NAME} characters, but has {len(name)}")


def now_ms() -> int:
    """Return the time as metadata has it."""
    return time.time_ns() // 1_000_000
