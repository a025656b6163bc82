"""Namespaces that are listed wrongly."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_answer, on_call, on_reply
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR, no_such_namespace
from mutants.operators import refuse_calls


def on_listing(edit: Callable[[list[Any]], list[Any]]) -> Install:
    """Other namespaces in listings."""

    def change(document: dict[str, Any]) -> None:
        document["namespaces"] = edit(document["namespaces"])

    return on_answer(op.list_namespaces, change)


def _with_grandchildren(handler: Handler, arguments: Arguments) -> Reply:
    """List the children of children too."""
    document = handler(**arguments).document
    for namespace in list(document["namespaces"]):
        document["namespaces"] += handler(parent=SEPARATOR.join(namespace)).document["namespaces"]
    return json_reply(document)


@fault("IRC-NS-LIST-003", by=partial(on_call, op.list_namespaces))
def parent_of_one_level(handler: Handler, arguments: Arguments) -> Reply:
    if arguments.get("parent"):
        arguments["parent"] = arguments["parent"].split(SEPARATOR)[0]
    return handler(**arguments)


@fault("IRC-NS-LIST-007", by=partial(on_call, op.list_namespaces))
def leaves_are_missing(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    if arguments.get("parent") and not reply.document["namespaces"]:
        raise no_such_namespace((arguments["parent"],))
    return reply


@fault("IRC-NS-LIST-008", by=partial(on_call, op.list_namespaces))
def children_by_pattern(handler: Handler, arguments: Arguments) -> Reply:
    parent = arguments.get("parent")
    document = handler(**arguments).document
    if parent and SEPARATOR not in parent:
        alike = [
            top
            for (top,) in handler().document["namespaces"]
            if top != parent and fnmatchcase(top, parent.replace("_", "?"))
        ]
        for top in alike:
            document["namespaces"] += [
                [parent, child] for _, child in handler(parent=top).document["namespaces"]
            ]
    return json_reply(document)


@fault("IRC-NS-LIST-008", by=partial(on_call, op.list_namespaces))
def children_by_prefix(handler: Handler, arguments: Arguments) -> Reply:
    parent = arguments.get("parent")
    reply = handler(**arguments)
    if not parent or SEPARATOR in parent:
        return reply
    document = reply.document
    for (top,) in handler().document["namespaces"]:
        if top.startswith(parent) and top != parent:
            document["namespaces"] += handler(parent=top).document["namespaces"]
    return json_reply(document)


@fault("IRC-NS-LIST-005", by=partial(on_call, op.list_namespaces))
def empty_parent_lists_children_too(handler: Handler, arguments: Arguments) -> Reply:
    return (
        _with_grandchildren(handler, arguments)
        if arguments.get("parent") == ""
        else handler(**arguments)
    )


FAULTS = {
    "empty-parent-is-missing IRC-NS-LIST-005": refuse_calls(
        op.list_namespaces,
        lambda arguments: arguments.get("parent") == "",
        no_such_namespace(("",)),
    ),
    "top-level-holds-children IRC-NS-LIST-001": on_call(op.list_namespaces, _with_grandchildren),
    "children-without-parents IRC-NS-LIST-002": on_listing(lambda given: [n[-1:] for n in given]),
    "grandchildren-are-children IRC-NS-LIST-004": on_call(op.list_namespaces, _with_grandchildren),
    "unknown-parent-is-empty IRC-NS-LIST-006": on_reply(
        op.list_namespaces,
        lambda reply, _: (
            json_reply({"namespaces": [], "next-page-token": None})
            if reply.status == 404
            else reply
        ),
    ),
    "namespaces-joined-in-lists IRC-NS-LIST-009 IRC-NS-ENC-005": on_listing(
        lambda given: [".".join(n) for n in given]
    ),
    "lists-are-empty IRC-NS-LIST-010": on_listing(lambda _: []),
}
