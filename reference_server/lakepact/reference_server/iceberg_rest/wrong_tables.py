"""Ways in which tables go wrong when they are listed, created, staged and loaded; the faults of tables are made from them."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Install, all_of, around, on_answer, on_call, on_request, unchecked
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.validation import Invalid

from .catalog import bad_request
from .documents import Document

if TYPE_CHECKING:
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Scope, Service

CREATE, LIST, LOAD, EXISTS, COMMIT = "createTable", "listTables", "loadTable", "tableExists", "updateTable"

Edit = Callable[[Document], None]
Wrapper = Callable[[Callable[..., Any]], Callable[..., Any]]

#: A part of a request that nothing is wrong with.
HARMLESS: Document = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": True}]}


def accept(*_: object, **__: object) -> None:
    """A rule that never objects."""


def during(operation: str, rule: str, wrapper: Wrapper) -> Install:
    """Calls of one operation are answered by `wrapper(rule)` in the place of a rule; all others as ever."""

    def install(service: Service) -> None:
        def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
            usual = service.rules[rule]
            service.rules[rule] = wrapper(usual)
            try:
                return handler(**arguments)
            finally:
                service.rules[rule] = usual

        on_call(operation, act)(service)

    return install


# -- creation -----------------------------------------------------------------------------------------------------------


def is_staging(body: Document) -> bool:
    """Whether a request only stages a table."""
    return body.get("stage-create") is True


def asked_for(rewrite: Callable[[Document], Document]) -> Install:
    """Tables are created as if `rewrite(body)` had been sent; it gets a copy."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        return handler(**{**arguments, "body": rewrite(copy.deepcopy(arguments["body"]))})

    return on_call(CREATE, act)


def taken_as(rewrite: Callable[[Document], Document]) -> Install:
    """Like `asked_for`, and what `rewrite(body)` returns is held against the schema in place of what was sent."""

    def install(service: Service) -> None:
        schema = service.contract.operations[CREATE].body or ""

        def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
            rewritten = rewrite(copy.deepcopy(arguments["body"]))
            try:
                service.validators.check(schema, rewritten)
            except Invalid as invalid:
                raise bad_request(str(invalid)) from None
            return handler(**{**arguments, "body": rewritten})

        all_of(unchecked(CREATE), on_call(CREATE, act))(service)

    return install


def made_with(spoil: Callable[[Document, Document], None]) -> Install:
    """The metadata of new tables, staged or not, are changed by `spoil(metadata, body)`."""

    def wrapper(make: Callable[..., Document]) -> Callable[..., Document]:
        def spoiled(body: Document, **facts: Any) -> Document:
            metadata = copy.deepcopy(make(body, **facts))
            spoil(metadata, body)
            return metadata

        return spoiled

    return around("rules", "new-metadata", wrapper)


def refused_if(wrong: Callable[[Document], bool], *, operation: str = CREATE) -> Install:
    """Requests with a body that `wrong` picks are refused with status 400."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if wrong(arguments["body"]):
            raise bad_request("asked for by a fault")
        return handler(**arguments)

    return on_call(operation, act)


def forgiven(why: str, *, when: Callable[[Document], bool] = bool) -> Install:
    """What creating a table refuses for a reason that `why` matches is left out, and the table created without it."""
    reason = re.compile(why)

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            body = arguments["body"]
            if problem.status != 400 or not reason.search(problem.message) or not when(body):
                raise
        harmless = {"name": body["name"], "schema": HARMLESS, "stage-create": is_staging(body)}
        return handler(**{**arguments, "body": harmless})

    return on_call(CREATE, act)


# -- refusals and answers -----------------------------------------------------------------------------------------------


def refusals_become(operation: str, status: int, become: Callable[[Problem], Exception]) -> Install:
    """What an operation refuses with one status is refused with `become(problem)`."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status != status:
                raise
            raise become(problem) from problem

    return on_call(operation, act)


def called(kind: str) -> Callable[[Problem], Problem]:
    """The same refusal by another name."""
    return lambda problem: Problem(problem.status, kind, problem.message)


def with_status(status: int) -> Callable[[Problem], Problem]:
    """The same refusal with another status."""
    return lambda problem: Problem(status, problem.kind, problem.message)


def answered_with(operation: str, edit: Edit) -> Install:
    """The metadata in the answers of an operation are changed."""
    return on_answer(operation, lambda answer: edit(answer["metadata"]))


def refused_by_header(operation: str, name: str, wrong: Callable[[str | None], bool]) -> Install:
    """Requests are refused with status 400 when `wrong` says so of a header's value, `None` being its absence."""

    def guard(scope: Scope) -> None:
        if wrong(header(scope, name)):
            raise bad_request(f"the header {name} is not supported")

    return on_request(operation, guard)


def header(scope: Scope, name: str) -> str | None:
    """The value of a request's header, or None."""
    sent: dict[bytes, bytes] = dict(scope["headers"])
    value = sent.get(name.lower().encode())
    return None if value is None else value.decode("latin-1")
