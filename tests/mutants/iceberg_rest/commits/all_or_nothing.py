"""Wrong ways with commits that should be made as a whole and in order, or not at all."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, on_call, wrap_entry, wrap_rule
from lakepact.reference_server.http.problems import Problem
from mutants.iceberg_rest.operators.commits import on_commit, reordered
from mutants.iceberg_rest.operators.operations import COMMIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft
    from lakepact.reference_server.service import Handler


# -- whole or not at all ----------------------------------------------------------------------------------------------


def _despite_conflicts(handler: Handler, arguments: dict[str, Any]) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status == 409:
            with contextlib.suppress(Problem):
                handler(**{**arguments, "body": {**arguments["body"], "requirements": []}})
        raise


def _up_to_the_bad_one(handler: Handler, arguments: dict[str, Any]) -> Reply:
    body = arguments["body"]
    try:
        return handler(**arguments)
    except Problem as problem:
        for end in range(len(body["updates"]) - 1, 0, -1) if problem.status == 400 else ():
            with contextlib.suppress(Problem):
                handler(**{**arguments, "body": {**body, "updates": body["updates"][:end]}})
                break
        raise


def _all_but_the_bad_one(handler: Handler, arguments: dict[str, Any]) -> Reply:
    body = arguments["body"]
    try:
        return handler(**arguments)
    except Problem as problem:
        for bad in range(len(body["updates"])) if problem.status == 400 else ():
            with contextlib.suppress(Problem):
                handler(**{**arguments, "body": {**body, "updates": body["updates"][:bad] + body["updates"][bad + 1 :]}})
                break
        raise


def _checked(choose: Callable[[list[Document]], list[Document]]) -> Install:
    """Of the requirements of a commit those are checked that `choose(requirements)` returns."""

    def wrapper(check: Callable[..., None]) -> Callable[..., None]:
        def requirements_hold(metadata: Document | None, requirements: list[Document], **options: Any) -> None:
            check(metadata, choose(requirements), **options)

        return requirements_hold

    return wrap_rule("requirements_hold", wrapper)


def _one_of_a_type(requirements: list[Document]) -> list[Document]:
    return list({requirement.get("type"): requirement for requirement in requirements}.values())


def _first_of_a_type(requirements: list[Document]) -> list[Document]:
    return _one_of_a_type(requirements[::-1])


WHOLE = (
    Fault(
        "applies-updates-despite-conflicts",
        "Updates are applied before the requirements are checked, and stay when these fail.",
        ("IRC-COM-004", "IRC-REQ-002"),
        on_call(COMMIT, _despite_conflicts),
    ),
    Fault(
        "applies-updates-up-to-the-bad-one",
        "Updates are applied one by one, and those before one that is refused stay.",
        ("IRC-COM-008", "IRC-COM-011"),
        on_commit(_up_to_the_bad_one),
    ),
    Fault(
        "applies-all-but-the-bad-update",
        "All updates are applied but the one for which the commit is refused.",
        ("IRC-COM-008", "IRC-COM-011"),
        on_commit(_all_but_the_bad_one),
    ),
    Fault(
        "checks-first-requirement-alone",
        "Only the first requirement of a commit is checked.",
        ("IRC-COM-004", "IRC-COM-006", "IRC-COM-013", "IRC-REQ-004", "IRC-REQ-012", "IRC-REQ-039"),
        _checked(lambda requirements: requirements[:1]),
    ),
    Fault(
        "checks-last-requirement-alone",
        "Only the last requirement of a commit is checked.",
        ("IRC-COM-004", "IRC-COM-006", "IRC-REQ-004", "IRC-REQ-039"),
        _checked(lambda requirements: requirements[-1:]),
    ),
    Fault(
        "checks-last-requirement-of-a-type",
        "Requirements are kept by type, so that the last one of each is checked.",
        ("IRC-COM-006", "IRC-REQ-039"),
        _checked(_one_of_a_type),
    ),
    Fault(
        "checks-first-requirement-of-a-type",
        "The first requirement of each type is checked.",
        ("IRC-COM-006", "IRC-REQ-039"),
        _checked(_first_of_a_type),
    ),
)


# -- one after the other ----------------------------------------------------------------------------------------------


def _sorted_by(*last: str) -> Callable[[list[Document]], list[Document]]:
    """Updates in their order, but those of some actions behind all others."""
    return lambda updates: sorted(updates, key=lambda update: update.get("action") in last)


def _additions_first(updates: list[Document]) -> list[Document]:
    return sorted(updates, key=lambda update: not str(update.get("action")).startswith("add-"))


def _first_added(add: Callable[[Draft, Document], None]) -> Callable[[Draft, Document], None]:
    def add_schema(draft: Draft, update: Document) -> None:
        first = draft.added_schema
        add(draft, update)
        if first is not None:
            draft.added_schema = first

    return add_schema


def _properties_together(updates: list[Document]) -> list[Document]:
    merged: dict[str, str] = {}
    for update in updates[::-1]:
        if update.get("action") == "set-properties" and isinstance(update.get("updates"), dict):
            merged.update(update["updates"])
    others = [update for update in updates if update.get("action") != "set-properties"]
    return [*others, {"action": "set-properties", "updates": merged}] if merged else updates


IN_ORDER = (
    Fault(
        "removes-properties-last",
        "Properties are removed after all others have been set.",
        ("IRC-COM-010",),
        reordered("updates", _sorted_by("remove-properties")),
    ),
    Fault(
        "sets-properties-last",
        "Properties are set after all others have been removed.",
        ("IRC-COM-010",),
        reordered("updates", _sorted_by("set-properties")),
    ),
    Fault(
        "first-property-wins",
        "Of several values of a property the first stays.",
        ("IRC-COM-010",),
        reordered("updates", _properties_together),
    ),
    Fault(
        "removes-refs-last",
        "Refs are removed after all others have been set.",
        ("IRC-COM-010",),
        reordered("updates", _sorted_by("remove-snapshot-ref")),
    ),
    Fault(
        "adds-before-all-else",
        "Updates that add are applied first, in any order of the request.",
        ("IRC-COM-010",),
        reordered("updates", _additions_first),
    ),
    Fault(
        "last-added-schema-is-the-first",
        "In set-current-schema, -1 stands for the first schema that the commit added.",
        ("IRC-COM-010",),
        wrap_entry("updates", "add-schema", _first_added),
    ),
)


FAULTS: tuple[Fault, ...] = (*WHOLE, *IN_ORDER)
