"""Names of namespaces and tables, from what a caller writes to what stands in paths and bodies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias
from urllib.parse import unquote

from lakepact.client.urls import path_segment

#: A namespace: its levels in order. A string is a single level; a dot in it is part of the name.
Levels: TypeAlias = str | Sequence[str]
#: A table or view: its namespace and its name in it, or both as one text with dots between, "sales.emea.orders".
TableName: TypeAlias = str | tuple[Levels, str]
#: The default separator of levels in paths and queries, URL-encoded as servers announce it.
DEFAULT_SEPARATOR = "%1F"


def levels(namespace: Levels) -> list[str]:
    """Return the levels of a namespace.

    Raises:
        ValueError: There is no level, or an empty one.
    """
    found = [namespace] if isinstance(namespace, str) else list(namespace)
    if not found or not all(found):
        raise ValueError(f"a namespace has at least one level, and no empty one: {namespace!r}")
    return found


def encode_namespace(namespace: Levels, separator: str = DEFAULT_SEPARATOR) -> str:
    """Return the namespace as one path segment or query value, before it is percent-encoded.

    Raises:
        ValueError: A level holds the separator, or the namespace cannot stand in a path.
    """
    between = unquote(separator)
    found = levels(namespace)
    if any(between in level for level in found):
        raise ValueError(f"no level of a namespace can hold {between!r}, which joins levels in paths: {namespace!r}")
    return path_segment(between.join(found))


def addressable(namespace: Levels) -> list[str]:
    """Return the levels of a namespace that a path can address.

    Raises:
        ValueError: As for `encode_namespace`.
    """
    encode_namespace(namespace)
    return levels(namespace)


def encode_view_chain(views: Iterable[TableName], separator: str = DEFAULT_SEPARATOR) -> str | None:
    """Return views as the query `referenced-by` has them, before it is percent-encoded; None without any.

    Raises:
        ValueError: A name is not one of a view, or holds the separator.
    """
    chain: list[str] = []
    for view in views:
        namespace, name = table_identifier(view)
        chain.append(encode_namespace([*namespace, name], separator).replace(",", "%2C"))
    return ",".join(chain) or None


def table_identifier(table: TableName) -> tuple[list[str], str]:
    """Return the levels of the namespace and the name of a table or view that paths can address.

    Raises:
        ValueError: A text has fewer than two parts or an empty one, or a part cannot stand in a path.
    """
    if isinstance(table, str):
        *namespace, name = table.split(".")
        if not namespace or not name or not all(namespace):
            raise ValueError(f'name a table as "namespace.name", or as a tuple if a part holds a dot, (("a.b",), "name"): {table!r}')
        return addressable(namespace), path_segment(name)
    levels_, name = table
    return addressable(levels_), path_segment(name)
