"""Commits that were accepted and changed nothing, found in the exchanges of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

COMMITS = frozenset({"updateTable", "replaceView"})
ALWAYS_NEW = frozenset({"last-updated-ms", "metadata-log"})  #: members of metadata that say when it was written


def changed_nothing(trail: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether the last commit of some exchanges was accepted and returned the metadata of the response before it."""
    before: dict[str, Any] | None = None
    unchanged = False
    for exchange in trail:
        metadata = _metadata(exchange["response"]["body"])
        if exchange["operation"] in COMMITS:
            unchanged = metadata is not None and metadata == before
        before = metadata or before
    return unchanged


def _metadata(body: str) -> dict[str, Any] | None:
    """Return the metadata of a table or view in a response body; None if it has none, or if the report shows only part of it."""
    try:
        metadata = orjson.loads(body)["metadata"]
        return {name: value for name, value in metadata.items() if name not in ALWAYS_NEW}
    except (orjson.JSONDecodeError, TypeError, KeyError, AttributeError):
        return None
