"""Namespaces that are listed wrongly."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, on_answer, on_call, on_reply
from lakepact.reference_server.iceberg_rest.catalog import SEPARATOR, no_such_namespace
from lakepact.reference_server.replies import Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.service import Handler, Scope


def listed(edit: Callable[[list[Any]], list[Any]]) -> Install:
    """Other namespaces in listings."""

    def change(document: dict[str, Any]) -> None:
        document["namespaces"] = edit(document["namespaces"])

    return on_answer("listNamespaces", change)


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


def _by_pattern(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Take the parent for a pattern, in which `_` stands for any character."""
    parent = arguments.get("parent")
    document = handler(**arguments).document
    if parent and SEPARATOR not in parent:
        alike = [top for (top,) in handler().document["namespaces"] if top != parent and fnmatchcase(top, parent.replace("_", "?"))]
        for top in alike:
            document["namespaces"] += [[parent, child] for _, child in handler(parent=top).document["namespaces"]]
    return json_reply(document)


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
    Fault("children-by-pattern", "The parent is a pattern of names.", ("IRC-NS-LIST-008",), on_call("listNamespaces", _by_pattern)),
    Fault("children-by-prefix", "What begins like the parent is its child.", ("IRC-NS-LIST-008",), on_call("listNamespaces", _by_prefix)),
    Fault(
        "namespaces-joined-in-lists",
        "Namespaces are listed as dotted strings.",
        ("IRC-NS-LIST-009", "IRC-NS-ENC-005"),
        listed(lambda given: [".".join(n) for n in given]),
    ),
    Fault("lists-are-empty", "Nothing is listed.", ("IRC-NS-LIST-010",), listed(lambda _: [])),
)
