"""Namespaces of several levels, namespaces that lie elsewhere, and namespaces that are lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    accept,
    fault,
    on_answer,
    on_call,
    on_reply,
    on_status,
    replace_rule,
)
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope
from lakepact.reference_server.iceberg_rest.namespaces import levels_are_addressable
from lakepact.reference_server.iceberg_rest.tables.catalog import default_location


def _as(levels: Callable[[list[str]], list[str]]) -> Callable[[Handler, dict[str, Any]], Reply]:
    """Create another namespace than the one that is asked for."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        body = arguments["body"]
        namespace = body["namespace"]
        return handler(
            body={**body, "namespace": levels(namespace) if len(namespace) > 1 else namespace}
        )

    return act


@fault("WXD-NS-002", by=partial(on_call, op.create_namespace))
def creates_nothing(handler: Handler, arguments: Arguments) -> Reply:
    body = arguments["body"]
    return (
        handler(body=body) if body["namespace"] else json_reply({"namespace": [], "properties": {}})
    )


@fault("WXD-NS-003", by=partial(on_call, op.update_properties))
def updates_lose_the_location(handler: Handler, arguments: dict[str, Any]) -> Reply:
    body = arguments["body"]
    removals = [*(body.get("removals") or ()), "storage_location"]
    return handler(**{**arguments, "body": {**body, "removals": removals}})


@fault("WXD-NS-004", by=partial(replace_rule, "locate_namespace"))
def namespaces_share_a_folder(properties: dict[str, str], location: str) -> None:
    properties.setdefault("storage_location", f"{location.rpartition('/')[0]}/namespaces")


@fault("WXD-NS-005", by=partial(replace_rule, "default_location"))
def tables_lie_elsewhere(catalog: Any, _namespace: Any, *, levels: Any, name: str) -> str:
    return default_location(catalog, {"properties": {}}, levels=levels, name=name)


@fault("WXD-NS-006", "WXD-NS-007", by=partial(on_reply, op.drop_namespace))
def drops_of_full_ones_are_bad(reply: Reply, _: Scope) -> Reply:
    if reply.status != 409:
        return reply
    message = reply.document["error"]["message"]
    return json_reply(
        {"error": {"message": message, "type": "BadRequestException", "code": 400}}, status=400
    )


@fault("WXD-NS-008", by=partial(on_answer, op.update_properties))
def keys_by_the_pattern(document: Any) -> None:
    for member in ("updated", "removed", "missing"):
        document[member] = [
            key.replace("_", " ").replace(".", " ").replace(":", " ")
            for key in document.get(member) or ()
        ]


FAULTS = {
    "lists-two-levels IRC-NS-LIST-001": on_answer(
        op.list_namespaces, lambda document: document["namespaces"].append(["of", "two levels"])
    ),
    "nests-namespaces WXD-NS-001": replace_rule("levels_are_addressable", levels_are_addressable),
    "joins-levels WXD-NS-001": on_call(op.create_namespace, _as(lambda levels: [".".join(levels)])),
    "keeps-the-last-level WXD-NS-001": on_call(
        op.create_namespace, _as(lambda levels: levels[-1:])
    ),
    "ignores-storage-location WXD-NS-003": replace_rule(
        "locate_namespace",
        lambda properties, location: properties.update(storage_location=location),
    ),
    "says-no-location WXD-NS-004": replace_rule("locate_namespace", accept),
    "drops-of-full-ones-are-404 WXD-NS-006 WXD-NS-007": on_status(op.drop_namespace, {409: 404}),
}
