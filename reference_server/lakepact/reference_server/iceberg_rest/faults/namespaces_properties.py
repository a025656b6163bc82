"""Properties of namespaces that are set or removed wrongly."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, accept, all_of, instead, on_answer, on_call, on_status, on_wire, unchecked
from lakepact.reference_server.iceberg_rest.faults.ways.namespaces import made_where_missing
from lakepact.reference_server.iceberg_rest.faults.ways.requests import asked_for, refused_if
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler, Service
    from lakepact.reference_server.wire import Wire

UPDATE = "updateProperties"


def answered(edit: Callable[[dict[str, Any]], Any]) -> Install:
    """Another answer to an update."""
    return on_answer(UPDATE, edit)


def _empty_is_missing(service: Service) -> None:
    """Take a key whose value is empty for one that is not there."""
    load = service.handlers["loadNamespaceMetadata"]

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        stored = load(namespace=arguments["namespace"]).document["properties"]
        reply = handler(**arguments).document
        there = [key for key in reply["removed"] if stored[key]]
        empty = [key for key in reply["removed"] if not stored[key]]
        return json_reply({**reply, "removed": there, "missing": [*reply["missing"], *empty]})

    on_call(UPDATE, act)(service)


def _replaces(service: Service) -> None:
    """Remove every key that is not set again."""
    load = service.handlers["loadNamespaceMetadata"]

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        body = arguments["body"]
        stored = load(namespace=arguments["namespace"]).document["properties"]
        updates = body.get("updates") or {}
        gone = [key for key in stored if key not in updates]
        reply = handler(namespace=arguments["namespace"], body={"removals": gone, "updates": updates}).document
        return json_reply({**reply, "removed": [key for key in reply["removed"] if key in (body.get("removals") or [])]})

    on_call(UPDATE, act)(service)


def _before_it_is_refused(service: Service) -> None:
    """Do everything first, and refuse contradictions then."""
    refuse = service.rules["keys-are-disjoint"]
    service.rules["keys-are-disjoint"] = accept

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        refuse(arguments["body"].get("updates") or {}, arguments["body"].get("removals") or [])
        return reply

    on_call(UPDATE, act)(service)


def _refuses_unknown(service: Service) -> None:
    """Refuse to remove what is not there."""
    load = service.handlers["loadNamespaceMetadata"]

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        stored = load(namespace=arguments["namespace"]).document["properties"]
        unknown = [key for key in arguments["body"].get("removals") or [] if key not in stored]
        if unknown:
            raise Problem(400, "BadRequestException", f"no such property: {unknown[0]}")
        return handler(**arguments)

    on_call(UPDATE, act)(service)


def _missing_counts_as_removed(document: dict[str, Any]) -> None:
    document["removed"] += document["missing"]


def _missing_as_text(document: dict[str, Any]) -> None:
    document["missing"] = ", ".join(document["missing"])


def _removed_twice(document: dict[str, Any]) -> None:
    document["missing"] = document["missing"] + document["removed"]


def _duplicates_fail(handler: Handler, arguments: dict[str, Any]) -> Reply:
    removals = arguments["body"].get("removals") or []
    if len(removals) != len(set(removals)):
        raise KeyError(removals[0])
    return handler(**arguments)


def _as_strings(body: Document) -> Document:
    """Write any value as text."""
    return {**body, "updates": {key: str(value) for key, value in (body.get("updates") or {}).items()}}


def _first_level_only(handler: Handler, arguments: dict[str, Any]) -> Reply:
    return handler(**{**arguments, "namespace": arguments["namespace"].split("\x1f")[0]})


def _lost_updates(service: Service) -> None:
    """Write back the properties as they were when nobody else was writing."""
    read: dict[str, dict[str, str]] = {}
    load = service.handlers["loadNamespaceMetadata"]

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        namespace = arguments["namespace"]
        stored = load(namespace=namespace).document["properties"]
        before = read.setdefault(namespace, stored)
        updates = arguments["body"].get("updates") or {}
        others = [key for key in stored if key not in before and key not in updates]
        reply = handler(**arguments)
        handler(namespace=namespace, body={"removals": others, "updates": {}})
        return reply

    async def answer(wire: Wire, reply: Reply) -> None:
        await asyncio.sleep(0.05)
        read.clear()
        await wire.answer(reply)

    all_of(on_call(UPDATE, act), on_wire(UPDATE, answer))(service)


FAULTS = (
    Fault(
        "update-without-removed",
        "The answer to an update lacks `removed`.",
        ("IRC-NS-PROP-001",),
        answered(lambda d: {"updated": d["updated"]}),
    ),
    Fault(
        "updated-as-object",
        "`updated` is an object.",
        ("IRC-NS-PROP-001",),
        answered(lambda d: {**d, "updated": dict.fromkeys(d["updated"], "x")}),
    ),
    Fault(
        "keys-not-overwritten",
        "Updates are not stored.",
        ("IRC-NS-PROP-002", "IRC-NS-PROP-016"),
        asked_for(UPDATE, lambda body: {**body, "updates": {}}),
    ),
    Fault("updates-replace-everything", "Keys that are not mentioned vanish.", ("IRC-NS-PROP-003",), _replaces),
    Fault("updated-is-empty", "`updated` is always empty.", ("IRC-NS-PROP-004",), answered(lambda d: {**d, "updated": []})),
    Fault("removed-is-empty", "`removed` is always empty.", ("IRC-NS-PROP-005",), answered(lambda d: {**d, "removed": []})),
    Fault("empty-values-are-missing", "A key whose value is empty counts as missing.", ("IRC-NS-PROP-005",), _empty_is_missing),
    Fault(
        "missing-counts-as-removed",
        "Keys that were not there count as removed.",
        ("IRC-NS-PROP-005", "IRC-NS-PROP-006"),
        answered(_missing_counts_as_removed),
    ),
    Fault("unknown-removals-refused", "A key that is not there cannot be removed.", ("IRC-NS-PROP-006",), _refuses_unknown),
    Fault("missing-is-an-object", "`missing` is an object.", ("IRC-NS-PROP-007",), answered(lambda d: {**d, "missing": {"never": True}})),
    Fault("missing-holds-removed", "`missing` lists what was removed.", ("IRC-NS-PROP-015",), answered(_removed_twice)),
    Fault("missing-as-text", "`missing` is a string.", ("IRC-NS-PROP-006",), answered(_missing_as_text)),
    Fault("contradictions-are-400", "A key that is set and removed is a 400.", ("IRC-NS-PROP-008",), on_status(UPDATE, {422: 400})),
    Fault(
        "contradictions-accepted",
        "A key may be set and removed at once.",
        ("IRC-NS-PROP-008",),
        instead("rules", "keys-are-disjoint", accept),
    ),
    Fault("refused-updates-are-done", "A contradiction is refused after everything is done.", ("IRC-NS-PROP-009",), _before_it_is_refused),
    Fault("updates-make-namespaces", "Setting properties makes the namespace.", ("IRC-NS-PROP-010",), made_where_missing(UPDATE)),
    Fault(
        "duplicate-removals-fail",
        "A key that is removed twice is a server error.",
        ("IRC-NS-PROP-012",),
        all_of(unchecked(UPDATE), on_call(UPDATE, _duplicates_fail)),
    ),
    Fault(
        "nothing-to-do-refused",
        "A request for nothing is refused.",
        ("IRC-NS-PROP-013",),
        refused_if(UPDATE, lambda body: not body.get("updates") and not body.get("removals")),
    ),
    Fault(
        "any-value-as-text",
        "Values of any type are stored as text.",
        ("IRC-NS-PROP-014",),
        all_of(unchecked(UPDATE), asked_for(UPDATE, _as_strings)),
    ),
    Fault(
        "properties-of-the-first-level",
        "Properties are those of the first level.",
        ("IRC-NS-PROP-016",),
        on_call(UPDATE, _first_level_only),
    ),
    Fault("parallel-updates-lost", "Of updates side by side the last one wins.", ("IRC-NS-PROP-017",), _lost_updates),
)
