"""Names of namespaces, tables and views, from what a caller writes to what stands in paths and
bodies.

One rule holds everywhere: a string is split at its dots, and the parts of a tuple or list are taken
as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from urllib.parse import unquote

from lakepact.client.several import Several, several
from lakepact.reach.urls import path_segment

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.models import TableIdentifier

#: A namespace: "sales.emea", or its levels ("sales", "emea"), which may hold dots.
Levels: TypeAlias = str | Sequence[str]
#: A table or view: "sales.emea.orders", its parts ("sales", "emea", "orders"), its namespace and
#: name (("sales", "emea"), "orders"), or an item of a listing.
TableName: TypeAlias = "str | Sequence[str] | tuple[Sequence[str], str] | TableIdentifier"
#: The default separator of levels in paths and queries, URL-encoded as servers announce it.
DEFAULT_SEPARATOR = "%1F"

_unquote = lru_cache(maxsize=64)(unquote)


def levels(namespace: Levels) -> list[str]:
    """Return the levels of a namespace.

    Raises:
        ValueError: There is no level, or an empty one.
    """
    parts: list[Any] = (
        namespace.split(".") if isinstance(namespace, str) else [*several("namespace", namespace)]
    )
    if not parts or not all(isinstance(level, str) and level for level in parts):
        raise ValueError(f"a namespace has at least one level, and no empty one: {namespace!r}")
    return parts


def encode_namespace(namespace: Levels, separator: str = DEFAULT_SEPARATOR) -> str:
    """Return the namespace as one path segment or query value, before it is percent-encoded.

    Raises:
        ValueError: A level holds the separator, or the namespace cannot stand in a path.
    """
    return _join(levels(namespace), separator)


def _join(namespace: list[str], separator: str) -> str:
    between = _unquote(separator)
    text = between.join(namespace)
    if text.count(between) >= len(namespace):
        raise ValueError(
            f"no level of a namespace can hold {between!r}, which joins levels in paths:"
            f" {namespace!r}"
        )
    return path_segment(text)


def addressable(namespace: Levels) -> list[str]:
    """Return the levels of a namespace that a path can address.

    Raises:
        ValueError: As for `encode_namespace`.
    """
    parts = levels(namespace)
    encode_namespace(parts)
    return parts


def encode_view_chain(views: Several[TableName], separator: str = DEFAULT_SEPARATOR) -> str | None:
    """Return views as the query `referenced-by` has them, before it is percent-encoded; None
    without any.

    Raises:
        ValueError: A name is not one of a view, or holds the separator.
    """
    chain: list[str] = []
    for view in several("referenced_by", views):
        namespace, name = table_identifier(view)
        chain.append(encode_namespace([*namespace, name], separator).replace(",", "%2C"))
    return ",".join(chain) or None


def table_identifier(table: TableName) -> tuple[list[str], str]:
    """Return the levels of the namespace and the name of a table or view that paths can address.

    Raises:
        ValueError: There are fewer than two parts or an empty one, or a part cannot stand in a
            path.
    """
    namespace, name = _parts(table)
    return addressable(namespace), path_segment(name)


def table_segments(table: TableName, separator: str) -> tuple[str, str]:
    """Return the segments of a path for the namespace and the name of a table or view.

    Raises:
        ValueError: As for `table_identifier`.
    """
    namespace, name = _parts(table)
    return _join(namespace, separator), path_segment(name)


def _parts(table: TableName) -> tuple[list[str], str]:
    match table:
        case str():
            *namespace, name = table.split(".")
        case [list() | tuple() as parents, str(name)]:
            namespace = list(cast("Sequence[str]", parents))
        case [*_, _]:
            *namespace, name = cast("Sequence[str]", table)
        case _:
            levels = cast("Sequence[str]", getattr(table, "namespace", ()))
            namespace, name = list(levels), getattr(table, "name", "")
    if not namespace or not all(namespace) or not isinstance(name, str):
        raise ValueError(
            'a table is named "namespace.name", or by a tuple if a part holds a dot, ("a.b",'
            f' "name"): {table!r}'
        )
    return namespace, name
