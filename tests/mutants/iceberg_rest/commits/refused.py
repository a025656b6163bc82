"""Wrong ways with commits that cannot be understood, or that can never be applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.reference_server.faults import wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.commits.preconditions import PRECONDITIONS
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.updates import UPDATES
from mutants.iceberg_rest.operators.commits import (
    conflict,
    forgetting,
    of_kind,
    on_commit,
    refused_when,
)
from mutants.iceberg_rest.operators.operations import COMMIT
from mutants.iceberg_rest.operators.requests import taken_as

OF_VIEWS = ("add-view-version", "set-current-view-version")

#: Members that a strict parser knows.
MEMBERS = {"set-properties": {"action", "updates"}, "assert-table-uuid": {"type", "uuid"}}


def _is_unknown_update(update: Document) -> bool:
    return "action" in update and update["action"] not in UPDATES


def _is_unknown_requirement(requirement: Document) -> bool:
    return "type" in requirement and requirement["type"] not in PRECONDITIONS


def _has_unknown(body: Document) -> bool:
    return any(map(_is_unknown_update, body["updates"])) or any(
        map(_is_unknown_requirement, body["requirements"])
    )


def _has_unknown_requirement(body: Document) -> bool:
    return any(map(_is_unknown_requirement, body["requirements"]))


def _is_respelled(entry: Document) -> bool:
    kind = str(entry.get("action", entry.get("type")))
    return kind.lower() in {*UPDATES, *PRECONDITIONS} and kind.lower() != kind


def _has_further_members(entry: Document) -> bool:
    kind = entry.get("action", entry.get("type"))
    return kind in MEMBERS and not entry.keys() <= MEMBERS[kind]


def _conflicts_first(handler: Handler, arguments: Arguments) -> Reply:
    body = arguments["body"]
    known = [
        requirement
        for requirement in body["requirements"]
        if requirement.get("type") in PRECONDITIONS
    ]
    if not all(requirement["type"] == "assert-create" for requirement in known):
        handler(**{**arguments, "body": {**body, "requirements": known, "updates": []}})
    return handler(**arguments)


def _defaulting(member: str, absent: Callable[[Any], bool]) -> Callable[[Document], Document]:
    return lambda body: {**body, member: []} if absent(body.get(member)) else body


def _is_none(value: object) -> bool:
    return value is None


def _is_no_list(value: object) -> bool:
    return value is not None and not isinstance(value, list)


ARRAYS = {
    "commits-do-without-requirements IRC-COM-003": taken_as(
        COMMIT, _defaulting("requirements", _is_none)
    ),
    "commits-do-without-updates IRC-COM-003": taken_as(COMMIT, _defaulting("updates", _is_none)),
    "no-array-is-no-update IRC-COM-003": taken_as(COMMIT, _defaulting("updates", _is_no_list)),
    "no-array-is-no-requirement IRC-COM-003": taken_as(
        COMMIT, _defaulting("requirements", _is_no_list)
    ),
}

UNKNOWN = {
    "skips-unknown-requirements IRC-COM-007 IRC-COM-009 IRC-COM-019 IRC-COM-031": forgetting(
        "requirements", _is_unknown_requirement
    ),
    "unknown-requirements-fail IRC-COM-007 IRC-COM-009 IRC-COM-019 IRC-COM-031": refused_when(
        _has_unknown_requirement, conflict("a requirement is not known")
    ),
    "skips-unknown-updates IRC-COM-008 IRC-COM-009 IRC-COM-018 IRC-COM-031": forgetting(
        "updates", _is_unknown_update
    ),
    "unknown-kinds-are-not-supported IRC-COM-007 IRC-COM-008 IRC-COM-009 IRC-COM-031": refused_when(
        _has_unknown, Problem(406, "UnsupportedOperationException", "not supported")
    ),
    "unknown-kinds-are-failures IRC-COM-007 IRC-COM-008 IRC-COM-009 IRC-COM-018 IRC-COM-019 IRC-COM-031": refused_when(
        _has_unknown, Problem(500, "IllegalStateException", "no such kind")
    ),
    "conflicts-before-unknown IRC-COM-009": on_commit(_conflicts_first),
    "skips-updates-without-action IRC-COM-016": forgetting(
        "updates", lambda update: "action" not in update
    ),
    "skips-requirements-without-type IRC-COM-016": forgetting(
        "requirements", lambda requirement: "type" not in requirement
    ),
    "skips-updates-of-views IRC-COM-018": forgetting("updates", of_kind(*OF_VIEWS)),
    "skips-requirements-of-views IRC-COM-019": forgetting(
        "requirements", of_kind("assert-view-uuid")
    ),
    "skips-respelled-updates IRC-COM-031": forgetting("updates", _is_respelled),
    "skips-respelled-requirements IRC-COM-031": forgetting("requirements", _is_respelled),
    "strict-updates IRC-COM-025": refused_when(
        lambda body: any(map(_has_further_members, body["updates"])),
        Problem(400, "BadRequestException", "unrecognised field"),
    ),
    "strict-requirements IRC-COM-025": refused_when(
        lambda body: any(map(_has_further_members, body["requirements"])),
        Problem(400, "BadRequestException", "unrecognised field"),
    ),
    "skips-updates-with-further-members IRC-COM-025": forgetting("updates", _has_further_members),
}


def _failing_as(
    status: int, kind: str
) -> Callable[[Callable[..., Document]], Callable[..., Document]]:
    def wrapper(apply: Callable[..., Document]) -> Callable[..., Document]:
        def updates_applied(*arguments: Any, **options: Any) -> Document:
            try:
                return apply(*arguments, **options)
            except Problem as problem:
                raise Problem(status, kind, problem.message) from None

        return updates_applied

    return wrapper


IMPOSSIBLE = {
    "impossible-updates-are-conflicts IRC-COM-023 IRC-REQ-003": wrap_rule(
        "apply_updates", _failing_as(409, "CommitFailedException")
    ),
    "impossible-updates-are-failures IRC-REQ-003": wrap_rule(
        "apply_updates", _failing_as(500, "NullPointerException")
    ),
}


FAULTS = {**ARRAYS, **UNKNOWN, **IMPOSSIBLE}
