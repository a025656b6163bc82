"""Namespaces that are created, loaded or found wrongly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, accept, all_of, instead, on_answer, on_call, on_reply, on_status, unchecked
from lakepact.reference_server.iceberg_rest.catalog import SEPARATOR, namespace_key, no_such_namespace
from lakepact.reference_server.iceberg_rest.faults.ways.requests import refused_if
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Scope, Service
    from lakepact.reference_server.store import Place, Record, Transaction

NAMED = ("createNamespace", "loadNamespaceMetadata")


def with_properties(edit: Callable[[dict[str, Any]], Any]) -> Install:
    """Other properties in answers."""

    def change(document: dict[str, Any]) -> None:
        document["properties"] = edit(document["properties"])

    return on_answer(NAMED, change)


def _overwrites(service: Service) -> None:
    """Refuse a namespace that exists, and take its new properties all the same."""
    update = service.handlers["updateProperties"]

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            body = arguments["body"]
            if problem.status == 409:
                update(namespace=SEPARATOR.join(body["namespace"]), body={"removals": [], "updates": body.get("properties") or {}})
            raise

    on_call("createNamespace", act)(service)


def _no_parent(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Find no parent; who refuses children as such lacks what nobody has to have."""
    body = arguments["body"]
    if len(body["namespace"]) > 1:
        raise no_such_namespace(tuple(body["namespace"][:-1]))
    return handler(body=body)


def _orphans_vanish(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Answer that a child of a missing parent was made, and make none."""
    try:
        return handler(**arguments)
    except Problem as problem:
        body = arguments["body"]
        if problem.status != 404:
            raise
        return json_reply({"namespace": body["namespace"], "properties": body.get("properties") or {}})


def _hidden(transaction: Transaction, levels: Place) -> Record:
    record = transaction.get(namespace_key(levels)) or transaction.get(
        namespace_key(levels[:-1]) if len(levels) > 1 else namespace_key(levels)
    )
    if record is None:
        raise no_such_namespace(levels)
    return record


def _any_level(levels: tuple[str, ...]) -> None:
    if not levels:
        raise Problem(400, "BadRequestException", "no levels")


def _joined_levels(document: dict[str, Any]) -> None:
    document["namespace"] = ".".join(document["namespace"])


def _last_level(document: dict[str, Any]) -> None:
    document["namespace"] = document["namespace"][-1:]


def _as_text(reply: Reply, _: Scope) -> Reply:
    return replace(reply, status=200, body=b"{}") if reply.status == 404 else reply


def _unread(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Make a namespace of whatever is sent."""
    body = arguments["body"]
    levels = body.get("namespace")
    named = [str(level) for level in levels] if isinstance(levels, list) else [str(levels)]
    properties = {key: str(value) for key, value in (body.get("properties") or {}).items()}
    return handler(body={"namespace": named, "properties": properties})


FAULTS = (
    Fault(
        "namespaces-joined",
        "A namespace is answered as a dotted string.",
        ("IRC-NS-ENC-005", "IRC-NS-GET-001"),
        on_answer(NAMED, _joined_levels),
    ),
    Fault(
        "created-name-shortened",
        "A namespace is answered by its last level.",
        ("IRC-NS-GET-001", "IRC-NS-CREATE-009"),
        on_answer(NAMED, _last_level),
    ),
    Fault(
        "created-without-answer",
        "What is created is answered without its name.",
        ("IRC-NS-CREATE-001",),
        on_answer("createNamespace", lambda _: {}),
    ),
    Fault("properties-dropped", "Properties are not kept.", ("IRC-NS-CREATE-002", "IRC-NS-GET-002"), with_properties(lambda _: {})),
    Fault(
        "orphans-vanish",
        "A child of a missing parent is answered as if it were made.",
        ("IRC-NS-CREATE-010",),
        on_call("createNamespace", _orphans_vanish),
    ),
    Fault("properties-null", "Properties are null.", ("IRC-NS-GET-004",), with_properties(lambda _: None)),
    Fault(
        "properties-required",
        "A namespace without properties is refused.",
        ("IRC-NS-CREATE-004",),
        refused_if("createNamespace", lambda body: "properties" not in body),
    ),
    Fault(
        "namespaces-created-twice",
        "What exists is created again.",
        ("IRC-NS-CREATE-005", "IRC-NS-CREATE-006", "IRC-NS-CREATE-016"),
        instead("rules", "namespace-is-free", accept),
    ),
    Fault(
        "refused-but-overwritten", "A namespace that exists takes the properties of a refused request.", ("IRC-NS-CREATE-006",), _overwrites
    ),
    Fault(
        "namespaces-of-anything",
        "A namespace is made of whatever is sent.",
        ("IRC-NS-CREATE-007", "IRC-NS-CREATE-014", "IRC-NS-CREATE-017"),
        all_of(unchecked("createNamespace"), on_call("createNamespace", _unread)),
    ),
    Fault(
        "any-level-will-do",
        "Levels may be empty or hold separators.",
        ("IRC-NS-CREATE-012", "IRC-NS-CREATE-013"),
        instead("rules", "levels-are-addressable", _any_level),
    ),
    Fault("no-levels-needed", "A namespace without levels is created.", ("IRC-NS-CREATE-008",), on_status("createNamespace", {400: 200})),
    Fault("no-children", "The parent of a new namespace is never found.", ("IRC-NS-CREATE-009",), on_call("createNamespace", _no_parent)),
    Fault(
        "missing-namespace-is-empty",
        "A namespace that does not exist has no properties.",
        ("IRC-NS-GET-005",),
        on_reply("loadNamespaceMetadata", _as_text),
    ),
    Fault(
        "missing-child-is-its-parent",
        "A child that does not exist is its parent.",
        ("IRC-NS-GET-006",),
        instead("rules", "namespace-exists", _hidden),
    ),
    Fault(
        "namespace-heads-miss", "HEAD finds no namespace.", ("IRC-NS-HEAD-001", "IRC-NS-HEAD-003"), on_status("namespaceExists", {204: 404})
    ),
    Fault(
        "namespace-heads-hit",
        "HEAD finds every namespace.",
        ("IRC-NS-HEAD-002", "IRC-NS-HEAD-003"),
        on_status("namespaceExists", {404: 204}),
    ),
)
