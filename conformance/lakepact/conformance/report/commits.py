"""Commits in the exchanges of a report: those that were accepted and changed nothing, and what they ask for."""

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


def commit_updates(body: str, at: str = "") -> set[str]:
    """Return the actions of the updates of a commit; only that of the update with the JSON pointer `at`, if it has one."""
    return _kinds(body, "updates", "action", at)


def commit_requirements(body: str, at: str = "") -> set[str]:
    """Return the types of the requirements of a commit; only that of the requirement with the JSON pointer `at`, if it has one."""
    return _kinds(body, "requirements", "type", at)


def _kinds(body: str, member: str, tag: str, at: str) -> set[str]:
    try:
        commit = orjson.loads(body)
        changes = commit.get("table-changes", [commit])
        items = [[item[tag] for item in change[member]] for change in changes]
    except (orjson.JSONDecodeError, TypeError, KeyError, AttributeError):
        return set()
    place = [int(step) for step in at.split("/") if step.isdigit()][-1:] if f"/{member}/" in at else []
    return {str(kind) for change in items for kind in (change[place[0] : place[0] + 1] if place else change)}
