"""Faults of registering views."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.faults import Fault, all_of, around, on_answer, on_call, on_status
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.service import Handler, Service


def with_a_new_uuid(read: Callable[..., Any]) -> Callable[..., Any]:
    """Give what is read another UUID."""
    return lambda *arguments: {**read(*arguments), "view-uuid": str(uuid.uuid4())}


def without_properties(read: Callable[..., Any]) -> Callable[..., Any]:
    """Leave the properties of what is read behind."""
    return lambda *arguments: {**read(*arguments), "properties": {}}


def only_answered(service: Service) -> None:
    """Answer what was registered, and drop it."""
    register, drop = service.handlers["registerView"], service.handlers["dropView"]

    def answer(**arguments: Any) -> Reply:
        reply = register(**arguments)
        drop(namespace=arguments["namespace"], view=arguments["body"]["name"])
        return reply

    service.handlers["registerView"] = answer


def over_what_has_the_name(kind: str) -> Install:
    """Register over a view, or over a table, that has the name."""

    def install(service: Service) -> None:
        register, free = service.handlers["registerView"], service.rules["identifier-is-free"]
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

        service.rules["identifier-is-free"] = is_free
        service.handlers["registerView"] = answer

    return install


def of_another_type(document: dict[str, Any]) -> None:
    """Call the error by another name."""
    document["error"]["type"] = "NotFoundException"


def failing_to_read(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Fail where no file is."""
    try:
        return handler(**arguments)
    except Problem as problem:
        if "metadata-location" in problem.message or "valid view metadata" in problem.message:
            return Reply(500, orjson.dumps({"error": {"message": "the file", "type": "InternalServerError", "code": 500}}))
        raise


def never_replaced(service: Service) -> None:
    """Refuse to replace what was registered."""
    register, replace = service.handlers["registerView"], service.handlers["replaceView"]
    registered: set[tuple[str, str]] = set()

    def answer(**arguments: Any) -> Reply:
        reply = register(**arguments)
        registered.add((arguments["namespace"], arguments["body"]["name"]))
        return reply

    def refuse(**arguments: Any) -> Reply:
        if (arguments["namespace"], arguments["view"]) in registered:
            raise Problem(409, "CommitFailedException", "the view is somebody else's")
        return replace(**arguments)

    service.handlers["registerView"] = answer
    service.handlers["replaceView"] = refuse


def names_stay_taken(service: Service) -> None:
    """Names of views that were dropped cannot be registered."""
    register, drop = service.handlers["registerView"], service.handlers["dropView"]
    gone: set[tuple[str, str]] = set()

    def dropped(**arguments: Any) -> Reply:
        reply = drop(**arguments)
        gone.add((arguments["namespace"], arguments["view"]))
        return reply

    def registered(**arguments: Any) -> Reply:
        if (arguments["namespace"], arguments["body"]["name"]) in gone:
            raise Problem(409, "AlreadyExistsException", "there was a view by this name")
        return register(**arguments)

    service.handlers.update(dropView=dropped, registerView=registered)


FAULTS = (
    Fault(
        "dropped-views-keep-their-names",
        "No view is registered by the name of one that was dropped.",
        ("IRC-VIEW-REG-001",),
        names_stay_taken,
    ),
    Fault(
        "registered-views-get-new-uuids",
        "A view that is registered has another UUID than its file.",
        ("IRC-VIEW-REG-001",),
        around("rules", "read-view-metadata", with_a_new_uuid),
    ),
    Fault(
        "registered-views-have-no-properties",
        "A view that is registered has none of the properties of its file.",
        ("IRC-VIEW-REG-001",),
        around("rules", "read-view-metadata", without_properties),
    ),
    Fault("registered-views-are-gone", "A view that is registered is not there afterwards.", ("IRC-VIEW-REG-002",), only_answered),
    Fault(
        "registers-nothing-with-422",
        "Registering a view without a name or a location is answered with 422.",
        ("IRC-VIEW-REG-003",),
        on_status("registerView", {400: 422}),
    ),
    Fault(
        "registers-over-views",
        "A view is registered in the place of another one that has its name.",
        ("IRC-VIEW-REG-004",),
        over_what_has_the_name("view"),
    ),
    Fault(
        "registers-views-over-tables",
        "A view is registered in the place of a table that has its name.",
        ("IRC-VIEW-REG-005",),
        over_what_has_the_name("table"),
    ),
    Fault(
        "registers-nowhere-with-another-type",
        "Registering a view in a namespace that does not exist is answered with NotFoundException.",
        ("IRC-VIEW-REG-006",),
        on_answer("registerView", of_another_type, status=404),
    ),
    Fault(
        "fails-on-views-that-cannot-be-read",
        "Registering a view where no metadata can be read is answered with 500.",
        ("IRC-VIEW-REG-007",),
        on_call("registerView", failing_to_read),
    ),
    Fault("registered-views-are-fixed", "A view that was registered cannot be replaced.", ("IRC-VIEW-REG-008",), all_of(never_replaced)),
)
