"""Namespaces of several levels, namespaces that lie elsewhere, and namespaces that are lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, accept, instead, on_answer, on_call, on_reply, on_status
from lakepact.reference_server.iceberg_rest.metadata_files import default_location
from lakepact.reference_server.iceberg_rest.namespaces import levels_are_addressable
from lakepact.reference_server.replies import Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.service import Handler, Scope


def _as(levels: Callable[[list[str]], list[str]]) -> Callable[[Handler, dict[str, Any]], Reply]:
    """Create another namespace than the one that is asked for."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        body = arguments["body"]
        namespace = body["namespace"]
        return handler(body={**body, "namespace": levels(namespace) if len(namespace) > 1 else namespace})

    return act


def _empty_is_created(handler: Handler, arguments: dict[str, Any]) -> Reply:
    body = arguments["body"]
    return handler(body=body) if body["namespace"] else json_reply({"namespace": [], "properties": {}})


def _always_default(properties: dict[str, str], location: str) -> None:
    properties["storage_location"] = location


def _anywhere(properties: dict[str, str], location: str) -> None:
    properties.setdefault("storage_location", f"{location.rpartition('/')[0]}/namespaces")


def _below_the_warehouse(catalog: Any, _namespace: Any, *, levels: Any, name: str) -> str:
    return default_location(catalog, {"properties": {}}, levels=levels, name=name)


def _bad_request(reply: Reply, _: Scope) -> Reply:
    """A conflict as a bad request that says nothing of what is in the way."""
    if reply.status != 409:
        return reply
    message = reply.document["error"]["message"]
    return json_reply({"error": {"message": message, "type": "BadRequestException", "code": 400}}, status=400)


def _others_too(document: Any) -> None:
    document["namespaces"].append(["of", "two levels"])


def _by_the_pattern(document: Any) -> None:
    for member in ("updated", "removed", "missing"):
        document[member] = [key.replace("_", " ").replace(".", " ").replace(":", " ") for key in document.get(member) or ()]


FAULTS = (
    Fault("lists-two-levels", "A namespace of two levels is listed.", ("IRC-NS-LIST-001",), on_answer("listNamespaces", _others_too)),
    Fault(
        "nests-namespaces",
        "Namespaces of several levels are created.",
        ("WXD-NS-001",),
        instead("rules", "levels-are-addressable", levels_are_addressable),
    ),
    Fault(
        "joins-levels", "Levels are joined with dots.", ("WXD-NS-001",), on_call("createNamespace", _as(lambda levels: [".".join(levels)]))
    ),
    Fault(
        "keeps-the-last-level",
        "Of several levels the last one is created.",
        ("WXD-NS-001",),
        on_call("createNamespace", _as(lambda levels: levels[-1:])),
    ),
    Fault(
        "creates-nothing",
        "Creating a namespace of no levels is answered as done.",
        ("WXD-NS-002",),
        on_call("createNamespace", _empty_is_created),
    ),
    Fault(
        "ignores-storage-location",
        "A namespace lies where the server likes.",
        ("WXD-NS-003",),
        instead("rules", "locate-namespace", _always_default),
    ),
    Fault(
        "says-no-location",
        "A namespace that is told nothing says of no place that it lies there.",
        ("WXD-NS-004",),
        instead("rules", "locate-namespace", accept),
    ),
    Fault(
        "namespaces-share-a-folder", "All namespaces lie in one folder.", ("WXD-NS-004",), instead("rules", "locate-namespace", _anywhere)
    ),
    Fault(
        "tables-lie-elsewhere",
        "Tables do not lie in their namespaces.",
        ("WXD-NS-005",),
        instead("rules", "default-location", _below_the_warehouse),
    ),
    Fault(
        "drops-of-full-ones-are-bad",
        "To drop what is not empty is a bad request like any other.",
        ("WXD-NS-006", "WXD-NS-007"),
        on_reply("dropNamespace", _bad_request),
    ),
    Fault(
        "drops-of-full-ones-are-404",
        "What is not empty is not found when it is dropped.",
        ("WXD-NS-006", "WXD-NS-007"),
        on_status("dropNamespace", {409: 404}),
    ),
    Fault(
        "keys-by-the-pattern",
        "Keys are reported as the page's pattern would have them.",
        ("WXD-NS-008",),
        on_answer("updateProperties", _by_the_pattern),
    ),
)
