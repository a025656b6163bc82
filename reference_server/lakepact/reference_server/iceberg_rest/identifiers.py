"""Namespaces, tables and views by name: keys, spellings, and the decisions about which exist and
which names are free.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.storage.store import Key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lakepact.generated.iceberg_rest.documents import CommitTableRequest, CommitViewRequest
    from lakepact.reference_server.storage.store import Place, Record, Transaction, View

NAMESPACES = "namespaces"  #: the collection of namespaces, each in the place of its parent
IDENTIFIERS = (
    "identifiers"  #: the collection of tables and views, each in the place of its namespace
)
SEPARATOR = "\x1f"  #: between the levels of a namespace in a path or query
#: Suffixes of messages about tables and views; they begin like those of Iceberg's server, which
#: clients and their tests parse.
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


def full_name(levels: Sequence[str], name: str | None = None) -> str:
    """Return a namespace, table or view as messages spell it."""
    text = ".".join([*levels, *([name] if name is not None else [])]).replace(SEPARATOR, ".")
    return text if len(text) <= 200 else text[:199] + "…"


def bad_request(message: str) -> Problem:
    """Return a request that can never succeed as it is."""
    return Problem(400, "BadRequestException", message)


def no_such_namespace(levels: Sequence[str]) -> Problem:
    """Return the refusal of a missing namespace."""
    return Problem(
        404, "NoSuchNamespaceException", f"Namespace does not exist: {full_name(levels)}"
    )


def no_such_table(levels: Sequence[str], name: str, *, homeless: bool = False) -> Problem:
    """Return the refusal of a missing table, or of a view in its place; `homeless` if the namespace
    is missing too.
    """
    return _missing("Table", levels, name, homeless=homeless)


def _missing(kind: str, levels: Sequence[str], name: str, *, homeless: bool) -> Problem:
    return Problem(
        404,
        f"NoSuch{kind}Exception",
        f"{kind} does not exist: {full_name(levels, name)}{NOWHERE if homeless else ''}",
    )


def namespace_exists(view: View, levels: Place) -> Record:
    """Return the record of a namespace.

    Raises:
        Problem: 404, it does not exist.
    """
    record = view.get(namespace_key(levels))
    if record is None:
        raise no_such_namespace(levels)
    return record


def _exists(kind: str, view: View, levels: Place, name: str) -> Record:
    record = view.get(identifier_key(levels, name))
    if record is None or record.kind != kind:
        raise _missing(
            kind.capitalize(),
            levels,
            name,
            homeless=record is None and view.get(namespace_key(levels)) is None,
        )
    return record


#: Return the record of a table or of a view, or raise a Problem, 404, if nothing of this kind has
#: the name.
table_exists, view_exists = partial(_exists, "table"), partial(_exists, "view")


def _of_kind(
    kind: str, view: View, levels: Place, behind: str | None
) -> Iterator[tuple[str, Record]]:
    return (
        (name, record)
        for name, record in view.under(IDENTIFIERS, levels, after=behind)
        if record.kind == kind
    )


#: Return the tables or the views of a namespace behind a name, in the order of their names.
tables_of, views_of = partial(_of_kind, "table"), partial(_of_kind, "view")


def identifier_is_free(
    transaction: Transaction, levels: Place, name: str, kind: str | None = None
) -> None:
    """Check that no table or view has a name.

    Args:
        transaction: the catalog.
        levels: the levels of its namespace.
        name: the name.
        kind: the kind of what is to be created.

    Raises:
        Problem: 409, the name is taken.
    """
    record = transaction.get(identifier_key(levels, name))
    if record is not None:
        alike = "" if kind in {None, record.kind} else " with same name"
        raise Problem(
            409,
            "AlreadyExistsException",
            f"{record.kind.capitalize()}{alike} already exists: {full_name(levels, name)}",
        )


def identifier_matches(
    levels: Place, name: str, body: CommitTableRequest | CommitViewRequest
) -> None:
    """Check that the identifier in a commit equals the table or view in the path.

    Raises:
        Problem: 400, it does not.
    """
    identifier = body.get("identifier")
    if identifier is not None and (tuple(identifier["namespace"]), identifier["name"]) != (
        levels,
        name,
    ):
        own_name = full_name(identifier["namespace"], identifier["name"])
        raise bad_request(
            f"at /identifier: the commit is for {own_name}, but was sent to {full_name(levels, name)}"
        )


def name_is_addressable(name: str, where: str) -> None:
    """Check that a path can address a table.

    Raises:
        Problem: 400, it cannot.
    """
    check_name(name, f"at {where}: the name of a table")


def check_name(name: str, what: str) -> None:
    """Refuse a name that no path could address."""
    if not name:
        raise bad_request(f"{what} must not be empty")
    if name in {".", ".."}:
        raise bad_request(f"{what} must not be {name!r}: in a path it means another place")
    if len(name) > LONGEST_NAME:
        raise bad_request(
            f"{what} must not be longer than {LONGEST_NAME} characters, but has {len(name)}"
        )


def now_ms() -> int:
    """Return the time as metadata has it."""
    return time.time_ns() // 1_000_000
