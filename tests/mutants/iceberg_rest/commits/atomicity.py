"""Wrong ways with commits: what they answer, how much they may be, and to which table they go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import on_answer, on_call, on_status, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.commits.preconditions import PRECONDITIONS
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR, bad_request
from lakepact.reference_server.storage.store import Record
from mutants.iceberg_rest.operators.commits import conflict, refused_when, reordered
from mutants.iceberg_rest.operators.operations import COMMIT
from mutants.iceberg_rest.operators.refusals import called, refusals_become, with_status
from mutants.iceberg_rest.operators.requests import taken_as

#: Members that make a requirement fail.
CONFLICTS = (
    "IRC-COM-005",
    "IRC-COM-006",
    "IRC-COM-013",
    "IRC-REQ-002",
    "IRC-REQ-008",
    "IRC-REQ-012",
    "IRC-REQ-013",
    "IRC-REQ-015",
    "IRC-REQ-016",
    "IRC-REQ-019",
    "IRC-REQ-021",
    "IRC-REQ-022",
    "IRC-REQ-025",
    "IRC-REQ-028",
    "IRC-REQ-031",
    "IRC-REQ-034",
    "IRC-REQ-039",
)


def _answer_former(service: Service) -> None:
    commit, load = service.handlers[COMMIT], service.handlers[op.load_table]

    def answer(**arguments: Any) -> Reply:
        try:
            before = load(namespace=arguments["namespace"], table=arguments["table"])
        except Problem:
            return commit(**arguments)
        commit(**arguments)
        return before

    service.handlers[COMMIT] = answer


def _shift_time(answer: Document) -> None:
    answer["metadata"]["last-updated-ms"] += 1


def _keep_location(write: Callable[..., Record]) -> Callable[..., Record]:
    def written(warehouse: Any, metadata: Document, *, former: str | None) -> Record:
        record = write(warehouse, metadata, former=former)
        location = former or record.document["metadata-location"]
        document = {**record.document, "metadata-location": location}
        return replace(
            record,
            document=document,
            body=record.body.replace(_quoted(record), _quoted(Record("", document, b"")), 1),
        )

    return written


def _quoted(record: Record) -> bytes:
    return f'"{record.document["metadata-location"]}"'.encode()


ANSWERS = {
    "commits-answer-no-location IRC-COM-001 IRC-COM-002": on_answer(
        COMMIT, lambda answer: answer.pop("metadata-location")
    ),
    "commits-answer-204 IRC-COM-001": on_status(COMMIT, {200: 204}),
    "commits-answer-202 IRC-COM-001": on_status(COMMIT, {200: 202}),
    "commits-answer-former-metadata IRC-COM-002": _answer_former,
    "commits-answer-other-times IRC-COM-002": on_answer(COMMIT, _shift_time),
    "commits-overwrite-metadata IRC-COM-002": wrap_rule("write_metadata", _keep_location),
    f"conflicts-are-bad-requests {' '.join(CONFLICTS)}": refusals_become(
        COMMIT, 409, with_status(400, "BadRequestException")
    ),
    f"conflicts-are-412 {' '.join(CONFLICTS)}": refusals_become(COMMIT, 409, with_status(412)),
    "conflicts-have-another-type IRC-ERR-010": refusals_become(
        COMMIT, 409, called("ConflictException")
    ),
}


def _empty_is_refused(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    if not arguments["body"]["updates"]:
        raise bad_request("there are no updates")
    return reply


def _empty_leaves_a_mark(handler: Handler, arguments: Arguments) -> Reply:
    body = arguments["body"]
    updates = body["updates"] or [{"action": "set-properties", "updates": {"commits": "empty"}}]
    return handler(**{**arguments, "body": {**body, "updates": updates}})


def _unchecked_when_empty(body: Document) -> Document:
    if body.get("updates") != [] or not isinstance(body.get("requirements"), list):
        return body
    kept = [
        one
        for one in body["requirements"]
        if one.get("type") == "assert-create" or one.get("type") not in PRECONDITIONS
    ]
    return {**body, "requirements": kept}


def _unconditional_is_nothing(body: Document) -> Document:
    return {**body, "updates": []} if body.get("requirements") == [] else body


SIZES = {
    "refuses-commits-without-updates IRC-COM-012": on_call(COMMIT, _empty_is_refused),
    "empty-commits-leave-a-mark IRC-COM-012": on_call(COMMIT, _empty_leaves_a_mark),
    "empty-commits-check-nothing IRC-COM-013": taken_as(COMMIT, _unchecked_when_empty),
    "refuses-unconditional-commits IRC-COM-014": refused_when(
        lambda body: not body["requirements"], bad_request("there are no requirements")
    ),
    "unconditional-commits-do-nothing IRC-COM-014": taken_as(COMMIT, _unconditional_is_nothing),
    "applies-a-hundred-updates IRC-COM-026": reordered("updates", lambda updates: updates[:100]),
    "fails-at-many-updates IRC-COM-026": refused_when(
        lambda body: len(body["updates"]) > 255,
        Problem(500, "InternalServerError", "too many updates"),
    ),
}


def _to_the_identifier(handler: Handler, arguments: Arguments) -> Reply:
    identifier = arguments["body"].get("identifier")
    if identifier:
        arguments = {
            **arguments,
            "namespace": SEPARATOR.join(identifier["namespace"]),
            "table": identifier["name"],
        }
    return handler(**arguments)


def _requirements_first(find: Callable[..., Any]) -> Callable[..., Any]:
    def committed_table(transaction: Any, key: Any, requirements: list[Document]) -> Any:
        try:
            return find(transaction, key, requirements)
        except Problem:
            if requirements:
                raise conflict("the table is not what is required") from None
            raise

    return committed_table


def _conflicting(matches: Callable[..., None]) -> Callable[..., None]:
    def identifier_matches(*arguments: Any) -> None:
        try:
            matches(*arguments)
        except Problem as problem:
            raise conflict(problem.message) from None

    return identifier_matches


PLACES = {
    "commits-go-to-the-identifier IRC-COM-017": on_call(COMMIT, _to_the_identifier),
    "other-identifiers-are-conflicts IRC-COM-017": wrap_rule("identifier_matches", _conflicting),
    "commits-to-no-table-conflict IRC-COM-015": wrap_rule("table_to_commit", _requirements_first),
    "missing-tables-miss-their-namespace IRC-ERR-008": refusals_become(
        COMMIT, 404, called("NoSuchNamespaceException")
    ),
}


FAULTS = {**ANSWERS, **SIZES, **PLACES}
