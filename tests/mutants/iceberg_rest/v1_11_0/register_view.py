"""Faults of registering views."""

from __future__ import annotations

import uuid
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, all_of, fault, on_answer, on_call, on_status, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.service import Handler, Service


def over_what_has_the_name(kind: str) -> Install:
    """Register over a view, or over a table, that has the name."""

    def install(service: Service) -> None:
        register, free = service.handlers[op.register_view], service.rules.current("identifier_is_free")
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
    """No view is registered by the name of one that was dropped."""
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


@fault("IRC-VIEW-REG-001", by=partial(wrap_rule, "read_view_metadata"))
def registered_views_get_new_uuids(read: Callable[..., Any]) -> Callable[..., Any]:
    """A view that is registered has another UUID than its file."""
    return lambda *arguments: {**read(*arguments), "view-uuid": str(uuid.uuid4())}


@fault("IRC-VIEW-REG-001", by=partial(wrap_rule, "read_view_metadata"))
def registered_views_have_no_properties(read: Callable[..., Any]) -> Callable[..., Any]:
    """A view that is registered has none of the properties of its file."""
    return lambda *arguments: {**read(*arguments), "properties": {}}


@fault("IRC-VIEW-REG-002")
def registered_views_are_gone(service: Service) -> None:
    """A view that is registered is not there afterwards."""
    register, drop = service.handlers[op.register_view], service.handlers[op.drop_view]

    def answer(**arguments: Any) -> Reply:
        reply = register(**arguments)
        drop(namespace=arguments["namespace"], view=arguments["body"]["name"])
        return reply

    service.handlers[op.register_view] = answer


@fault("IRC-VIEW-REG-003")
def registers_nothing_with_422() -> Install:
    """Registering a view without a name or a location returns 422."""
    return on_status(op.register_view, {400: 422})


@fault("IRC-VIEW-REG-004")
def registers_over_views() -> Install:
    """A view is registered in the place of another one that has its name."""
    return over_what_has_the_name("view")


@fault("IRC-VIEW-REG-005")
def registers_views_over_tables() -> Install:
    """A view is registered in the place of a table that has its name."""
    return over_what_has_the_name("table")


@fault("IRC-VIEW-REG-006", by=partial(on_answer, op.register_view, status=404))
def registers_nowhere_with_another_type(document: dict[str, Any]) -> None:
    """Registering a view in a namespace that does not exist is answered with NotFoundException."""
    document["error"]["type"] = "NotFoundException"


@fault("IRC-VIEW-REG-007", by=partial(on_call, op.register_view))
def fails_on_views_that_cannot_be_read(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Registering a view where no metadata can be read returns 500."""
    try:
        return handler(**arguments)
    except Problem as problem:
        if "metadata-location" in problem.message or "valid view metadata" in problem.message:
            return Reply(500, orjson.dumps({"error": {"message": "the file", "type": "InternalServerError", "code": 500}}))
        raise


@fault("IRC-VIEW-REG-008", by=partial(all_of))
def registered_views_are_fixed(service: Service) -> None:
    """A view that was registered cannot be replaced."""
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
