"""Filters that lose files, or that are not understood, or understood although they are nonsense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, all_of, around, unchecked
from lakepact.reference_server.iceberg_rest.faults.ways.refusals import refusals_become, with_status
from lakepact.reference_server.iceberg_rest.faults.ways.requests import refused_if
from lakepact.reference_server.iceberg_rest.faults.ways.scans import PLAN, asked, asked_as, filtered_as, kinds_as, kinds_in, without
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.scans import Ask


def _without_nulls(remains: Callable[..., Any]) -> Callable[..., Any]:
    def left(pruning: Any, entry: Any) -> Any:
        found = remains(pruning, entry)
        if None in entry.partition and found != _always():
            return _never()
        return found

    return left


def _always() -> Any:
    from lakepact.reference_server.iceberg_rest.scan_planning.expressions import ALWAYS  # noqa: PLC0415 - loaded with the first plan

    return ALWAYS


def _never() -> Any:
    from lakepact.reference_server.iceberg_rest.scan_planning.expressions import NEVER  # noqa: PLC0415 - loaded with the first plan

    return NEVER


def _whatever(ask: Ask, metadata: Document, body: Document) -> Any:
    try:
        return ask(metadata, body)
    except Problem:
        return ask(metadata, without(body, "filter"))


def _unknown_columns(ask: Ask, metadata: Document, body: Document) -> Any:
    try:
        return ask(metadata, body)
    except Problem as problem:
        if "no column" not in problem.message:
            raise
        return ask(metadata, without(body, "filter", "select"))


def _has(*kinds: Any) -> Callable[[Document], bool]:
    return lambda body: bool(kinds_in((body or {}).get("filter")) & set(kinds))


def _is_about_text(body: Document) -> bool:
    wanted = (body or {}).get("filter")
    return isinstance(wanted, dict) and isinstance(wanted.get("value"), str) and wanted["value"][:1].isdigit()


FAULTS = (
    Fault("filters-lose-nulls", "Files of null are left out.", ("IRC-SCAN-PLAN-015",), around("rules", "rows-remain", _without_nulls)),
    Fault(
        "filters-exclude-their-bounds",
        "Comparisons leave equal values out.",
        ("IRC-SCAN-PLAN-015",),
        kinds_as({"lt-eq": "lt", "gt-eq": "gt"}),
    ),
    Fault(
        "filters-ignore-negations",
        "A negation is taken for what it negates.",
        ("IRC-SCAN-PLAN-015",),
        filtered_as(lambda one: one["child"] if isinstance(one, dict) and one.get("type") == "not" else one),
    ),
    Fault("filters-know-no-prefixes", "A prefix is taken for the whole.", ("IRC-SCAN-PLAN-015",), kinds_as({"starts-with": "eq"})),
    Fault("filters-are-all-or-nothing", "Either is taken for both.", ("IRC-SCAN-PLAN-015",), kinds_as({"or": "and"})),
    Fault(
        "constants-are-not-understood",
        "The constants are refused as objects.",
        ("IRC-SCAN-PLAN-016",),
        refused_if(PLAN, _has("true", "false")),
    ),
    Fault(
        "sets-are-not-understood",
        "Sets of values are refused.",
        ("IRC-SCAN-PLAN-016",),
        refused_if(PLAN, _has("in", "not-in")),
    ),
    Fault("literals-are-numbers", "Texts that begin with a digit are refused.", ("IRC-SCAN-PLAN-016",), refused_if(PLAN, _is_about_text)),
    Fault(
        "nonsense-is-ignored",
        "A filter that is not understood is ignored.",
        ("IRC-SCAN-PLAN-017",),
        all_of(unchecked(PLAN), asked(_whatever)),
    ),
    Fault(
        "unknown-columns-are-ignored",
        "A filter on no column is ignored.",
        ("IRC-SCAN-PLAN-017",),
        asked(_unknown_columns),
    ),
    Fault(
        "bad-plans-fail",
        "What should be refused as a bad request is a server error.",
        ("IRC-SCAN-PLAN-017", "IRC-SCAN-PLAN-011", "IRC-SCAN-PLAN-012", "IRC-SCAN-PLAN-014"),
        refusals_become(PLAN, 400, with_status(500)),
    ),
    Fault(
        "letter-case-never-counts",
        "Names match in any letter case.",
        ("IRC-SCAN-PLAN-018",),
        asked_as(lambda _, body: {**body, "case-sensitive": False}),
    ),
    Fault(
        "letter-case-always-counts",
        "Names match in exact letter case alone.",
        ("IRC-SCAN-PLAN-018",),
        asked_as(lambda _, body: without(body, "case-sensitive")),
    ),
)
