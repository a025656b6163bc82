"""Wrong ways with commits that should be made as a whole and in order, or not at all."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from lakepact.reference_server.faults import Install, fault, on_call, wrap_entry, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.updates import Draft
from mutants.iceberg_rest.operators.commits import on_commit, reordered
from mutants.iceberg_rest.operators.operations import COMMIT


def _despite_conflicts(handler: Handler, arguments: Arguments) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status == 409:
            with contextlib.suppress(Problem):
                handler(**{**arguments, "body": {**arguments["body"], "requirements": []}})
        raise


def _up_to_the_bad_one(handler: Handler, arguments: Arguments) -> Reply:
    body = arguments["body"]
    try:
        return handler(**arguments)
    except Problem as problem:
        for end in range(len(body["updates"]) - 1, 0, -1) if problem.status == 400 else ():
            with contextlib.suppress(Problem):
                handler(**{**arguments, "body": {**body, "updates": body["updates"][:end]}})
                break
        raise


def _all_but_the_bad_one(handler: Handler, arguments: Arguments) -> Reply:
    body = arguments["body"]
    try:
        return handler(**arguments)
    except Problem as problem:
        for bad in range(len(body["updates"])) if problem.status == 400 else ():
            with contextlib.suppress(Problem):
                handler(
                    **{
                        **arguments,
                        "body": {
                            **body,
                            "updates": body["updates"][:bad] + body["updates"][bad + 1 :],
                        },
                    }
                )
                break
        raise


@fault("IRC-COM-004")
def properties_of_conflicts_wait() -> Install:
    """The properties of a commit that returns 409 are set by the next accepted one."""
    waiting: dict[tuple[str, str], list[Document]] = {}

    def commit(handler: Handler, arguments: Arguments) -> Reply:
        table, body = (arguments["namespace"], arguments["table"]), arguments["body"]
        try:
            updates = [*waiting.get(table, ()), *body["updates"]]
            reply = handler(**{**arguments, "body": {**body, "updates": updates}})
        except Problem as problem:
            if problem.status == 409:
                waiting.setdefault(table, []).extend(
                    one for one in body["updates"] if one["action"] == "set-properties"
                )
            raise
        waiting.pop(table, None)
        return reply

    return on_call(COMMIT, commit)


def _checked(choose: Callable[[list[Document]], list[Document]]) -> Install:
    """Of the requirements of a commit those are checked that `choose(requirements)` returns."""

    def wrapper(check: Callable[..., None]) -> Callable[..., None]:
        def requirements_hold(
            metadata: Document | None, requirements: list[Document], **options: Any
        ) -> None:
            check(metadata, choose(requirements), **options)

        return requirements_hold

    return wrap_rule("requirements_hold", wrapper)


def _one_of_a_type(requirements: list[Document]) -> list[Document]:
    return list({requirement.get("type"): requirement for requirement in requirements}.values())


def _first_of_a_type(requirements: list[Document]) -> list[Document]:
    return _one_of_a_type(requirements[::-1])


WHOLE = {
    "applies-updates-despite-conflicts IRC-COM-004 IRC-REQ-002": on_call(
        COMMIT, _despite_conflicts
    ),
    "applies-updates-up-to-the-bad-one IRC-COM-008 IRC-COM-011": on_commit(_up_to_the_bad_one),
    "applies-all-but-the-bad-update IRC-COM-008 IRC-COM-011": on_commit(_all_but_the_bad_one),
    "checks-first-requirement-alone IRC-COM-004 IRC-COM-006 IRC-COM-013 IRC-REQ-004 IRC-REQ-012 IRC-REQ-039": _checked(
        lambda requirements: requirements[:1]
    ),
    "checks-last-requirement-alone IRC-COM-004 IRC-COM-006 IRC-REQ-004 IRC-REQ-039": _checked(
        lambda requirements: requirements[-1:]
    ),
    "checks-last-requirement-of-a-type IRC-COM-006 IRC-REQ-039": _checked(_one_of_a_type),
    "checks-first-requirement-of-a-type IRC-COM-006 IRC-REQ-039": _checked(_first_of_a_type),
}


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


IN_ORDER = {
    "removes-properties-last IRC-COM-010": reordered("updates", _sorted_by("remove-properties")),
    "sets-properties-last IRC-COM-010": reordered("updates", _sorted_by("set-properties")),
    "first-property-wins IRC-COM-010": reordered("updates", _properties_together),
    "removes-refs-last IRC-COM-010": reordered("updates", _sorted_by("remove-snapshot-ref")),
    "adds-before-all-else IRC-COM-010": reordered("updates", _additions_first),
    "last-added-schema-is-the-first IRC-COM-010": wrap_entry("updates", "add-schema", _first_added),
}


FAULTS = {**WHOLE, **IN_ORDER}
