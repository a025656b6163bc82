"""Namespaces that are listed, created, loaded or dropped wrongly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import (
    Fault,
    Install,
    accept,
    all_of,
    around,
    instead,
    on_answer,
    on_call,
    on_reply,
    on_status,
    unchecked,
)
from lakepact.reference_server.iceberg_rest.catalog import NAMESPACES, SEPARATOR, namespace_key, no_such_namespace
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.service import Handler, Scope, Service
    from lakepact.reference_server.store import Place, Record, Transaction

NAMED = ("createNamespace", "loadNamespaceMetadata")


def listed(edit: Callable[[list[Any]], list[Any]]) -> Install:
    """Other namespaces in listings."""

    def change(document: dict[str, Any]) -> None:
        document["namespaces"] = edit(document["namespaces"])

    return on_answer("listNamespaces", change)


def with_properties(edit: Callable[[dict[str, Any]], Any]) -> Install:
    """Other properties in answers."""

    def change(document: dict[str, Any]) -> None:
        document["properties"] = edit(document["properties"])

    return on_answer(NAMED, change)


def _with_grandchildren(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """List the children of children too."""
    document = handler(**arguments).document
    for namespace in list(document["namespaces"]):
        document["namespaces"] += handler(parent=SEPARATOR.join(namespace)).document["namespaces"]
    return json_reply(document)


def _first_level_of_parent(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Look at the first level of a parent only."""
    if arguments.get("parent"):
        arguments["parent"] = arguments["parent"].split(SEPARATOR)[0]
    return handler(**arguments)


def _empty_parent_is_missing(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if arguments.get("parent") == "":
        raise no_such_namespace(("",))
    return handler(**arguments)


def _unknown_parent_is_empty(reply: Reply, _: Scope) -> Reply:
    return json_reply({"namespaces": [], "next-page-token": None}) if reply.status == 404 else reply


def _leaf_is_missing(handler: Handler, arguments: dict[str, Any]) -> Reply:
    reply = handler(**arguments)
    if arguments.get("parent") and not reply.document["namespaces"]:
        raise no_such_namespace((arguments["parent"],))
    return reply


def _by_prefix(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Take for children whatever begins like the parent."""
    parent = arguments.get("parent")
    reply = handler(**arguments)
    if not parent or SEPARATOR in parent:
        return reply
    document = reply.document
    for (top,) in handler().document["namespaces"]:
        if top.startswith(parent) and top != parent:
            document["namespaces"] += handler(parent=top).document["namespaces"]
    return json_reply(document)


def _joined(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Store the levels of a namespace as one dotted name."""
    levels = arguments["body"]["namespace"]
    return handler(body={**arguments["body"], "namespace": [".".join(levels)]})


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


def _top_level_only(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Refuse more than one level."""
    body = arguments["body"]
    if len(body["namespace"]) > 1:
        raise Problem(406, "UnsupportedOperationException", "no nested namespaces here")
    return handler(body=body)


def _kept_properties() -> Install:
    """Keep the properties of dropped namespaces for the next one of that name."""
    kept: dict[tuple[str, ...], dict[str, str]] = {}

    def create(handler: Handler, arguments: dict[str, Any]) -> Reply:
        body = arguments["body"]
        old = kept.get(tuple(body["namespace"]), {})
        reply = handler(body={**body, "properties": {**old, **(body.get("properties") or {})}})
        kept[tuple(body["namespace"])] = reply.document["properties"]
        return reply

    return on_call("createNamespace", create)


def _children_do_not_count(transaction: Transaction, levels: Place) -> None:
    for name, record in transaction.under("identifiers", levels):
        raise Problem(409, "NamespaceNotEmptyException", f"it holds the {record.kind} {name}")


def _tables_do_not_count(transaction: Transaction, levels: Place) -> None:
    for name, record in transaction.under(NAMESPACES, levels):
        raise Problem(409, "NamespaceNotEmptyException", f"it holds the {record.kind} {name}")


def _siblings_go_too(transaction: Transaction, levels: Place) -> None:
    """Remove whatever begins like the name of what is dropped."""
    for name, _ in list(transaction.under(NAMESPACES, levels[:-1])):
        if name.startswith(levels[-1]) and name != levels[-1]:
            transaction.remove(namespace_key((*levels[:-1], name)))


def _resurrects(service: Service) -> None:
    """Make the namespace anew when a staged table is committed to it."""
    create = service.handlers["createNamespace"]

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status != 404 or {"type": "assert-create"} not in arguments["body"]["requirements"]:
                raise
            create(body={"namespace": arguments["namespace"].split(SEPARATOR)})
            return handler(**arguments)

    on_call("updateTable", act)(service)


def _hidden(transaction: Transaction, levels: Place) -> Record:
    record = transaction.get(namespace_key(levels)) or transaction.get(
        namespace_key(levels[:-1]) if len(levels) > 1 else namespace_key(levels)
    )
    if record is None:
        raise no_such_namespace(levels)
    return record


def _stripped(find: Callable[..., Record]) -> Callable[..., Record]:
    """Overlook levels that are empty."""

    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        return find(transaction, tuple(level for level in levels if level) or levels)

    return namespace_exists


def _split_at_dots(find: Callable[..., Record]) -> Callable[..., Record]:
    """Take a dot for a separator."""

    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        return find(transaction, tuple(part for level in levels for part in level.split(".")))

    return namespace_exists


def _folded(find: Callable[..., Record]) -> Callable[..., Record]:
    """Find namespaces in any case, although they are created in each."""

    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        for name, record in transaction.under(NAMESPACES, levels[:-1]):
            if name.lower() == levels[-1].lower():
                return record
        return find(transaction, levels)

    return namespace_exists


def _two_levels(levels: tuple[str, ...]) -> None:
    if len(levels) > 2 or not levels or not all(levels) or any(SEPARATOR in level for level in levels):
        raise Problem(400, "BadRequestException", "no more than two levels")


def _any_level(levels: tuple[str, ...]) -> None:
    if not levels:
        raise Problem(400, "BadRequestException", "no levels")


def _needs_properties(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if "properties" not in arguments["body"]:
        raise Problem(400, "BadRequestException", "properties are required")
    return handler(**arguments)


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
        "top-level-holds-children",
        "The top level lists children too.",
        ("IRC-NS-LIST-001",),
        on_call("listNamespaces", _with_grandchildren),
    ),
    Fault(
        "children-without-parents",
        "Children are listed by their last level.",
        ("IRC-NS-LIST-002",),
        listed(lambda given: [n[-1:] for n in given]),
    ),
    Fault(
        "parent-of-one-level",
        "Of a parent only the first level counts.",
        ("IRC-NS-LIST-003",),
        on_call("listNamespaces", _first_level_of_parent),
    ),
    Fault(
        "grandchildren-are-children",
        "Children of children are listed.",
        ("IRC-NS-LIST-004",),
        on_call("listNamespaces", _with_grandchildren),
    ),
    Fault(
        "empty-parent-is-missing",
        "An empty parent does not exist.",
        ("IRC-NS-LIST-005",),
        on_call("listNamespaces", _empty_parent_is_missing),
    ),
    Fault(
        "unknown-parent-is-empty",
        "A parent that does not exist has no children.",
        ("IRC-NS-LIST-006",),
        on_reply("listNamespaces", _unknown_parent_is_empty),
    ),
    Fault(
        "leaves-are-missing",
        "A namespace without children is not found.",
        ("IRC-NS-LIST-007",),
        on_call("listNamespaces", _leaf_is_missing),
    ),
    Fault("children-by-prefix", "What begins like the parent is its child.", ("IRC-NS-LIST-008",), on_call("listNamespaces", _by_prefix)),
    Fault(
        "namespaces-joined-in-lists",
        "Namespaces are listed as dotted strings.",
        ("IRC-NS-LIST-009", "IRC-NS-ENC-005"),
        listed(lambda given: [".".join(n) for n in given]),
    ),
    Fault(
        "namespaces-joined",
        "A namespace is answered as a dotted string.",
        ("IRC-NS-ENC-005", "IRC-NS-GET-001"),
        on_answer(NAMED, _joined_levels),
    ),
    Fault("lists-are-empty", "Nothing is listed.", ("IRC-NS-LIST-010",), listed(lambda _: [])),
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
    Fault("properties-null", "Properties are null.", ("IRC-NS-GET-004",), with_properties(lambda _: None)),
    Fault(
        "properties-required",
        "A namespace without properties is refused.",
        ("IRC-NS-CREATE-004",),
        on_call("createNamespace", _needs_properties),
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
    Fault("no-children", "Nested namespaces are refused.", ("IRC-NS-CREATE-009",), on_call("createNamespace", _top_level_only)),
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
    Fault(
        "drops-do-nothing", "Dropping succeeds without effect.", ("IRC-NS-DROP-001",), on_call("dropNamespace", lambda _h, _a: Reply(204))
    ),
    Fault("drops-of-nothing-succeed", "Dropping what is not there succeeds.", ("IRC-NS-DROP-002",), on_status("dropNamespace", {404: 204})),
    Fault(
        "drops-what-holds-tables",
        "A namespace with tables is dropped.",
        ("IRC-NS-DROP-003", "IRC-NS-DROP-008"),
        instead("rules", "namespace-is-empty", _tables_do_not_count),
    ),
    Fault(
        "drops-what-has-children",
        "A namespace with children is dropped.",
        ("IRC-NS-DROP-005",),
        instead("rules", "namespace-is-empty", _children_do_not_count),
    ),
    Fault(
        "drops-by-prefix",
        "Dropping takes along what begins like it.",
        ("IRC-NS-DROP-006",),
        instead("rules", "namespace-is-empty", _siblings_go_too),
    ),
    Fault("staged-tables-resurrect", "Committing a staged table brings its namespace back.", ("IRC-NS-DROP-007",), _resurrects),
    Fault(
        "properties-outlive-their-namespace",
        "A new namespace has the properties of a dropped one.",
        ("IRC-NS-DROP-009",),
        _kept_properties(),
    ),
    Fault(
        "levels-stored-as-one",
        "Levels are joined when they are stored.",
        ("IRC-NS-ENC-001", "IRC-NS-ENC-006"),
        on_call("createNamespace", _joined),
    ),
    Fault(
        "three-levels-at-most",
        "No more than three levels are nested.",
        ("IRC-NS-ENC-006",),
        instead("rules", "levels-are-addressable", _two_levels),
    ),
    Fault("dots-separate", "A dot in a path separates levels.", ("IRC-NS-ENC-002",), around("rules", "namespace-exists", _split_at_dots)),
    Fault(
        "empty-levels-overlooked",
        "Separators too many are overlooked.",
        ("IRC-NS-ENC-003",),
        around("rules", "namespace-exists", _stripped),
    ),
    Fault(
        "case-folded-at-load",
        "Case counts at creation, but not at loading.",
        ("IRC-NS-ENC-004",),
        around("rules", "namespace-exists", _folded),
    ),
)
