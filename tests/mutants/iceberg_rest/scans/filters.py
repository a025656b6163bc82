"""Filters that lose files, or that are not understood, or understood although they are nonsense."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.reference_server.faults import all_of, fault, skip_validation, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.refusals import refusals_become, with_status
from mutants.iceberg_rest.operators.requests import refused_if
from mutants.iceberg_rest.operators.scans import (
    PLAN,
    Ask,
    asked,
    asked_as,
    filtered_as,
    kinds_as,
    kinds_in,
    without,
)


def _always() -> Any:
    from lakepact.reference_server.iceberg_rest.scan_planning.expressions import ALWAYS  # noqa: PLC0415 - loaded with the first plan

    return ALWAYS


def _never() -> Any:
    from lakepact.reference_server.iceberg_rest.scan_planning.expressions import NEVER  # noqa: PLC0415 - loaded with the first plan

    return NEVER


def _has(*kinds: Any) -> Callable[[Document], bool]:
    return lambda body: bool(kinds_in((body or {}).get("filter")) & set(kinds))


@fault("IRC-SCAN-PLAN-015", by=partial(wrap_rule, "rows_remain"))
def filters_lose_nulls(remains: Callable[..., Any]) -> Callable[..., Any]:
    def left(pruning: Any, entry: Any) -> Any:
        found = remains(pruning, entry)
        if None in entry.partition and found != _always():
            return _never()
        return found

    return left


@fault("IRC-SCAN-PLAN-016", by=partial(refused_if, PLAN))
def literals_are_numbers(body: Document) -> bool:
    wanted = (body or {}).get("filter")
    return (
        isinstance(wanted, dict)
        and isinstance(wanted.get("value"), str)
        and wanted["value"][:1].isdigit()
    )


@fault("IRC-SCAN-PLAN-017", by=lambda act: all_of(skip_validation(PLAN), asked(act)))
def nonsense_is_ignored(ask: Ask, metadata: Document, body: Document) -> Any:
    try:
        return ask(metadata, body)
    except Problem:
        return ask(metadata, without(body, "filter"))


@fault("IRC-SCAN-PLAN-017", by=asked)
def unknown_columns_are_ignored(ask: Ask, metadata: Document, body: Document) -> Any:
    try:
        return ask(metadata, body)
    except Problem as problem:
        if "no column" not in problem.message:
            raise
        return ask(metadata, without(body, "filter", "select"))


FAULTS = {
    "filters-exclude-their-bounds IRC-SCAN-PLAN-015": kinds_as({"lt-eq": "lt", "gt-eq": "gt"}),
    "filters-ignore-negations IRC-SCAN-PLAN-015": filtered_as(
        lambda one: one["child"] if isinstance(one, dict) and one.get("type") == "not" else one
    ),
    "filters-know-no-prefixes IRC-SCAN-PLAN-015": kinds_as({"starts-with": "eq"}),
    "filters-are-all-or-nothing IRC-SCAN-PLAN-015": kinds_as({"or": "and"}),
    "constants-are-not-understood IRC-SCAN-PLAN-016": refused_if(PLAN, _has("true", "false")),
    "sets-are-not-understood IRC-SCAN-PLAN-016": refused_if(PLAN, _has("in", "not-in")),
    "bad-plans-fail IRC-SCAN-PLAN-017 IRC-SCAN-PLAN-011 IRC-SCAN-PLAN-012 IRC-SCAN-PLAN-014": refusals_become(
        PLAN, 400, with_status(500)
    ),
    "letter-case-never-counts IRC-SCAN-PLAN-018": asked_as(
        lambda _, body: {**body, "case-sensitive": False}
    ),
    "letter-case-always-counts IRC-SCAN-PLAN-018": asked_as(
        lambda _, body: without(body, "case-sensitive")
    ),
}
