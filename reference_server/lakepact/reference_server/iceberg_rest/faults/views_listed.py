"""Listings of views, and questions whether one exists, that are answered wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, instead, on_answer, on_call, on_status
from lakepact.reference_server.iceberg_rest.catalog import IDENTIFIERS, SEPARATOR
from lakepact.reference_server.iceberg_rest.faults.ways.views import EXISTS, LIST
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler, Service
    from lakepact.reference_server.store import Place, Record, Transaction


def _with_those_below(transaction: Transaction, levels: Place, behind: str | None) -> Iterator[tuple[str, Record]]:
    for key, record in sorted(transaction.every(IDENTIFIERS), key=lambda item: item[0].name):
        if record.kind == "view" and key.place[: len(levels)] == levels and (behind is None or key.name > behind):
            yield key.name, record


def _with_those_alike(transaction: Transaction, levels: Place, behind: str | None) -> Iterator[tuple[str, Record]]:
    for key, record in transaction.every(IDENTIFIERS):
        alike = key.place[:-1] == levels[:-1] and key.place[-1].startswith(levels[-1])
        if record.kind == "view" and alike and (behind is None or key.name > behind):
            yield key.name, record


def _nothing_for_nowhere(handler: Handler, arguments: dict[str, Any]) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != 404:
            raise
        return json_reply({"identifiers": [], "next-page-token": None})


def _list_old_names(service: Service) -> None:
    former: dict[str, list[str]] = {}

    def renamed(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        source = arguments["body"]["source"]
        former.setdefault(SEPARATOR.join(source["namespace"]), []).append(source["name"])
        return reply

    def listed(handler: Handler, arguments: dict[str, Any]) -> Reply:
        document = handler(**arguments).document
        namespace = arguments["namespace"]
        more = [{"namespace": namespace.split(SEPARATOR), "name": name} for name in former.get(namespace, ())]
        return json_reply({**document, "identifiers": document["identifiers"] + more})

    on_call("renameView", renamed)(service)
    on_call(LIST, listed)(service)


def _without_what_is_empty(document: Document) -> None:
    if not document["identifiers"]:
        del document["identifiers"]


def _found(reply: Reply) -> Reply:
    if not reply.document["identifiers"]:
        raise Problem(404, "NoSuchViewException", "there are no views")
    return reply


def _without_token(document: Document) -> None:
    document["next-page-token"] = None


def _first_again(handler: Handler, arguments: dict[str, Any]) -> Reply:
    reply = handler(**arguments)
    if not arguments.get("page_token"):
        return reply
    first = handler(**{**arguments, "page_token": ""}).document["identifiers"]
    document = reply.document
    return json_reply({**document, "identifiers": first[:1] + document["identifiers"]})


FAULTS = (
    Fault(
        "lists-views-of-children",
        "Views of child namespaces are listed too.",
        ("IRC-VIEW-LIST-001",),
        instead("rules", "views-of", _with_those_below),
    ),
    Fault(
        "lists-views-by-prefix",
        "Views of namespaces whose names begin alike are listed too.",
        ("IRC-VIEW-LIST-001",),
        instead("rules", "views-of", _with_those_alike),
    ),
    Fault("lists-old-names-of-views", "Views that were renamed are listed under both names.", ("IRC-VIEW-LIST-001",), _list_old_names),
    Fault("lists-views-of-nowhere", "No namespace has no views.", ("IRC-VIEW-LIST-002",), on_call(LIST, _nothing_for_nowhere)),
    Fault("no-views-are-no-list", "Where no views are, no array is.", ("IRC-VIEW-LIST-003",), on_answer(LIST, _without_what_is_empty)),
    Fault(
        "missing-views-make-missing-lists",
        "The list of a namespace without views is a 404.",
        ("IRC-VIEW-LIST-003",),
        on_call(LIST, lambda handler, arguments: _found(handler(**arguments))),
    ),
    Fault("pages-of-views-end-early", "Pages of views have no token.", ("IRC-VIEW-LIST-004",), on_answer(LIST, _without_token)),
    Fault("pages-of-views-overlap", "Each page of views names the first one again.", ("IRC-VIEW-LIST-004",), on_call(LIST, _first_again)),
    Fault("views-exist-with-200", "That a view exists is said by 200.", ("IRC-VIEW-LOAD-005",), on_status(EXISTS, {204: 200})),
    Fault("every-view-exists", "Every view exists.", ("IRC-VIEW-LOAD-005",), on_status(EXISTS, {404: 204})),
)
