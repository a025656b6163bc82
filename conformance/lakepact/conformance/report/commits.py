"""The updates and requirements in the commits of a report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

CONFLICT = 409  #: the status of a commit whose requirements do not hold


def subject(body: str, failure: Mapping[str, Any]) -> str:
    """Return the kind of update, or of requirement where a conflict was expected, that a commit has wrongly.

    Args:
        body: the body of the request.
        failure: the failing case; its mutation may say the position of the update or requirement.

    Returns:
        An empty text if the commit has none, or several kinds.
    """
    at = failure.get("mutation", {}).get("at", "")
    is_conflict = "/requirements/" in at or (
        not at and min(failure.get("expected_status", ()), default=0) == CONFLICT
    )
    kinds = (
        _kinds(body, "requirements", "type", at)
        if is_conflict
        else _kinds(body, "updates", "action", at)
    )
    return next(iter(kinds)) if len(kinds) == 1 else ""


def _kinds(body: str, member: str, tag: str, at: str) -> set[str]:
    try:
        commit = orjson.loads(body)
        changes = commit.get("table-changes", [commit])
        items = [[item[tag] for item in change[member]] for change in changes]
    except (orjson.JSONDecodeError, TypeError, KeyError, AttributeError):
        return set()
    place = re.search(rf"/{member}/(\d+)", at)
    return {
        str(kind)
        for change in items
        for kind in (change[int(place[1]) : int(place[1]) + 1] if place else change)
    }
