"""Names of namespaces and tables, from what a caller writes to what stands in paths and bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias
from urllib.parse import unquote

from lakepact.client.urls import path_segment

#: A namespace: its levels in order. A string is a single level; a dot in it is part of the name.
Levels: TypeAlias = str | Sequence[str]
#: A table or view: its namespace, and its name in it.
TableName: TypeAlias = tuple[Levels, str]
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
