"""Faults of registering views."""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    all_of,
    fault,
    on_answer,
    on_call,
    on_status,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service


def over_what_has_the_name(kind: str) -> Install:
    """Register over a view, or over a table, that has the name."""

    def install(service: Service) -> None:
        register, free = (
            service.handlers[op.register_view],
            service.rules.current("identifier_is_free"),
        )
        registering: list[bool] = []

        def is_free(transaction: Any, levels: Any, name: str, wanted: str) -> None:
            try:
                free(transaction, levels, name, wanted)
            except Problem as problem:
                if not registering or kind not in problem.message.lower().partition(":")[0]:
                    raise

        def answer(**arguments: Any) -> Reply:
            registering.append(True)
            try:
                return register(**arguments)
            finally:
                registering.pop()

        service.rules.replace("identifier_is_free", is_free)
        service.handlers[op.register_view] = answer

    return install


@fault("IRC-VIEW-REG-001")
def dropped_views_keep_their_names(service: Service) -> None:
    register, drop = service.handlers[op.register_view], service.handlers[op.drop_view]
    gone: set[tuple[str, str]] = set()

    def dropped(**arguments: Any) -> Reply:
        reply = drop(**arguments)
        gone.add((arguments["namespace"], arguments["view"]))
        return reply

    def registered(**arguments: Any) -> Reply:
        if (arguments["namespace"], arguments["body"]["name"]) in gone:
            raise Problem(409, "AlreadyExistsException", "there was a view by this name")
        return register(**arguments)

    service.handlers.update({op.drop_view: dropped, op.register_view: registered})


@fault("IRC-VIEW-REG-002")
def registered_views_are_gone(service: Service) -> None:
    register, drop = service.handlers[op.register_view], service.handlers[op.drop_view]

    def answer(**arguments: Any) -> Reply:
        reply = register(**arguments)
        drop(namespace=arguments["namespace"], view=arguments["body"]["name"])
        return reply

    service.handlers[op.register_view] = answer


@fault("IRC-VIEW-REG-007", by=partial(on_call, op.register_view))
def fails_on_views_that_cannot_be_read(handler: Handler, arguments: Arguments) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if "metadata-location" in problem.message or "valid view metadata" in problem.message:
            return Reply(
                500,
                orjson.dumps(
                    {"error": {"message": "the file", "type": "InternalServerError", "code": 500}}
                ),
            )
        raise


@fault("IRC-VIEW-REG-008", by=all_of)
def registered_views_are_fixed(service: Service) -> None:
    register, replace = service.handlers[op.register_view], service.handlers[op.replace_view]
    registered: set[tuple[str, str]] = set()

    def answer(**arguments: Any) -> Reply:
        reply = register(**arguments)
        registered.add((arguments["namespace"], arguments["body"]["name"]))
        return reply

    def refuse(**arguments: Any) -> Reply:
        if (arguments["namespace"], arguments["view"]) in registered:
            raise Problem(409, "CommitFailedException", "the view was changed by another request")
        return replace(**arguments)

    service.handlers[op.register_view] = answer
    service.handlers[op.replace_view] = refuse


FAULTS = {
    "registered-views-get-new-uuids IRC-VIEW-REG-001": wrap_rule(
        "read_view_metadata",
        lambda read: lambda *arguments: {**read(*arguments), "view-uuid": str(uuid.uuid4())},
    ),
    "registered-views-have-no-properties IRC-VIEW-REG-001": wrap_rule(
        "read_view_metadata", lambda read: lambda *arguments: {**read(*arguments), "properties": {}}
    ),
    "registers-nothing-with-422 IRC-VIEW-REG-003": on_status(op.register_view, {400: 422}),
    "registers-over-views IRC-VIEW-REG-004": over_what_has_the_name("view"),
    "registers-views-over-tables IRC-VIEW-REG-005": over_what_has_the_name("table"),
    "registers-nowhere-with-another-type IRC-VIEW-REG-006": on_answer(
        op.register_view,
        lambda document: document["error"].update(type="NotFoundException"),
        status=404,
    ),
}
