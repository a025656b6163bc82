"""Wrong ways with commits that cannot be understood, or that can never be applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.commits.preconditions import PRECONDITIONS
from lakepact.reference_server.iceberg_rest.updates import UPDATES
from mutants.iceberg_rest.operators.commits import conflict, forgetting, of_kind, on_commit, refused_when
from mutants.iceberg_rest.operators.operations import COMMIT
from mutants.iceberg_rest.operators.requests import taken_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler

OF_VIEWS = ("add-view-version", "set-current-view-version")

#: Members that a strict parser knows.
MEMBERS = {"set-properties": {"action", "updates"}, "assert-table-uuid": {"type", "uuid"}}


def _is_unknown_update(update: Document) -> bool:
    return "action" in update and update["action"] not in UPDATES


def _is_unknown_requirement(requirement: Document) -> bool:
    return "type" in requirement and requirement["type"] not in PRECONDITIONS


def _has_unknown(body: Document) -> bool:
    return any(map(_is_unknown_update, body["updates"])) or any(map(_is_unknown_requirement, body["requirements"]))


def _has_unknown_requirement(body: Document) -> bool:
    return any(map(_is_unknown_requirement, body["requirements"]))


def _is_respelled(entry: Document) -> bool:
    kind = str(entry.get("action", entry.get("type")))
    return kind.lower() in {*UPDATES, *PRECONDITIONS} and kind.lower() != kind


def _has_further_members(entry: Document) -> bool:
    kind = entry.get("action", entry.get("type"))
    return kind in MEMBERS and not entry.keys() <= MEMBERS[kind]


def _conflicts_first(handler: Handler, arguments: dict[str, Any]) -> Reply:
    body = arguments["body"]
    known = [requirement for requirement in body["requirements"] if requirement.get("type") in PRECONDITIONS]
    if not all(requirement["type"] == "assert-create" for requirement in known):
        handler(**{**arguments, "body": {**body, "requirements": known, "updates": []}})
    return handler(**arguments)


def _defaulting(member: str, absent: Callable[[Any], bool]) -> Callable[[Document], Document]:
    return lambda body: {**body, member: []} if absent(body.get(member)) else body


def _is_none(value: object) -> bool:
    return value is None


def _is_no_list(value: object) -> bool:
    return value is not None and not isinstance(value, list)


ARRAYS = (
    Fault(
        "commits-do-without-requirements",
        "A commit without `requirements` is taken for unconditional.",
        ("IRC-COM-003",),
        taken_as(COMMIT, _defaulting("requirements", _is_none)),
    ),
    Fault(
        "commits-do-without-updates",
        "A commit without `updates` is taken for an empty one.",
        ("IRC-COM-003",),
        taken_as(COMMIT, _defaulting("updates", _is_none)),
    ),
    Fault(
        "no-array-is-no-update",
        "`updates` that are no array are taken for none.",
        ("IRC-COM-003",),
        taken_as(COMMIT, _defaulting("updates", _is_no_list)),
    ),
    Fault(
        "no-array-is-no-requirement",
        "`requirements` that are no array are taken for none.",
        ("IRC-COM-003",),
        taken_as(COMMIT, _defaulting("requirements", _is_no_list)),
    ),
)

UNKNOWN = (
    Fault(
        "skips-unknown-requirements",
        "A requirement that the server does not know holds.",
        ("IRC-COM-007", "IRC-COM-009", "IRC-COM-019", "IRC-COM-031"),
        forgetting("requirements", _is_unknown_requirement),
    ),
    Fault(
        "unknown-requirements-fail",
        "A requirement that the server does not know is a conflict.",
        ("IRC-COM-007", "IRC-COM-009", "IRC-COM-019", "IRC-COM-031"),
        refused_when(_has_unknown_requirement, conflict("a requirement is not known")),
    ),
    Fault(
        "skips-unknown-updates",
        "An update that the server does not know is skipped.",
        ("IRC-COM-008", "IRC-COM-009", "IRC-COM-018", "IRC-COM-031"),
        forgetting("updates", _is_unknown_update),
    ),
    Fault(
        "unknown-kinds-are-not-supported",
        "An update or requirement that the server does not know returns 406.",
        ("IRC-COM-007", "IRC-COM-008", "IRC-COM-009", "IRC-COM-031"),
        refused_when(_has_unknown, Problem(406, "UnsupportedOperationException", "not supported")),
    ),
    Fault(
        "unknown-kinds-are-failures",
        "An update or requirement that the server does not know returns 500.",
        ("IRC-COM-007", "IRC-COM-008", "IRC-COM-009", "IRC-COM-018", "IRC-COM-019", "IRC-COM-031"),
        refused_when(_has_unknown, Problem(500, "IllegalStateException", "no such kind")),
    ),
    Fault(
        "conflicts-before-unknown",
        "Requirements are checked before all of a commit is understood.",
        ("IRC-COM-009",),
        on_commit(_conflicts_first),
    ),
    Fault(
        "skips-updates-without-action",
        "An update without `action` is skipped.",
        ("IRC-COM-016",),
        forgetting("updates", lambda update: "action" not in update),
    ),
    Fault(
        "skips-requirements-without-type",
        "A requirement without `type` holds.",
        ("IRC-COM-016",),
        forgetting("requirements", lambda requirement: "type" not in requirement),
    ),
    Fault(
        "skips-updates-of-views", "Updates of views are skipped for tables.", ("IRC-COM-018",), forgetting("updates", of_kind(*OF_VIEWS))
    ),
    Fault(
        "skips-requirements-of-views",
        "Requirements of views hold for tables.",
        ("IRC-COM-019",),
        forgetting("requirements", of_kind("assert-view-uuid")),
    ),
    Fault("skips-respelled-updates", "An action in other letter case is skipped.", ("IRC-COM-031",), forgetting("updates", _is_respelled)),
    Fault(
        "skips-respelled-requirements",
        "A requirement whose type is in other letter case holds.",
        ("IRC-COM-031",),
        forgetting("requirements", _is_respelled),
    ),
    Fault(
        "strict-updates",
        "Updates with members that the server does not know are refused.",
        ("IRC-COM-025",),
        refused_when(
            lambda body: any(map(_has_further_members, body["updates"])), Problem(400, "BadRequestException", "unrecognised field")
        ),
    ),
    Fault(
        "strict-requirements",
        "Requirements with members that the server does not know are refused.",
        ("IRC-COM-025",),
        refused_when(
            lambda body: any(map(_has_further_members, body["requirements"])), Problem(400, "BadRequestException", "unrecognised field")
        ),
    ),
    Fault(
        "skips-updates-with-further-members",
        "Updates with members that the server does not know are skipped.",
        ("IRC-COM-025",),
        forgetting("updates", _has_further_members),
    ),
)


def _failing_as(status: int, kind: str) -> Callable[[Callable[..., Document]], Callable[..., Document]]:
    def wrapper(apply: Callable[..., Document]) -> Callable[..., Document]:
        def updates_applied(*arguments: Any, **options: Any) -> Document:
            try:
                return apply(*arguments, **options)
            except Problem as problem:
                raise Problem(status, kind, problem.message) from None

        return updates_applied

    return wrapper


IMPOSSIBLE = (
    Fault(
        "impossible-updates-are-conflicts",
        "An update that can never be applied returns 409.",
        ("IRC-COM-023", "IRC-REQ-003"),
        wrap_rule("updates_applied", _failing_as(409, "CommitFailedException")),
    ),
    Fault(
        "impossible-updates-are-failures",
        "An update that can never be applied returns 500.",
        ("IRC-REQ-003",),
        wrap_rule("updates_applied", _failing_as(500, "NullPointerException")),
    ),
)


FAULTS: tuple[Fault, ...] = (*ARRAYS, *UNKNOWN, *IMPOSSIBLE)
