"""Listings of views, and questions whether one exists, that are answered wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import fault, on_answer, on_call, on_status, replace_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import IDENTIFIERS, SEPARATOR
from lakepact.reference_server.storage.store import Place, Record, Transaction
from mutants.iceberg_rest.operators.views import EXISTS, LIST
from mutants.operators import on_refusal


def _found(reply: Reply) -> Reply:
    if not reply.document["identifiers"]:
        raise Problem(404, "NoSuchViewException", "there are no views")
    return reply


@fault("IRC-VIEW-LIST-001", by=partial(replace_rule, "views_of"))
def lists_views_of_children(
    transaction: Transaction, levels: Place, behind: str | None
) -> Iterator[tuple[str, Record]]:
    for key, record in sorted(transaction.every(IDENTIFIERS), key=lambda item: item[0].name):
        if (
            record.kind == "view"
            and key.place[: len(levels)] == levels
            and (behind is None or key.name > behind)
        ):
            yield key.name, record


@fault("IRC-VIEW-LIST-001", by=partial(replace_rule, "views_of"))
def lists_views_by_prefix(
    transaction: Transaction, levels: Place, behind: str | None
) -> Iterator[tuple[str, Record]]:
    for key, record in transaction.every(IDENTIFIERS):
        alike = key.place[:-1] == levels[:-1] and key.place[-1].startswith(levels[-1])
        if record.kind == "view" and alike and (behind is None or key.name > behind):
            yield key.name, record


@fault("IRC-VIEW-LIST-001")
def lists_old_names_of_views(service: Service) -> None:
    former: dict[str, list[str]] = {}

    def renamed(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        source = arguments["body"]["source"]
        former.setdefault(SEPARATOR.join(source["namespace"]), []).append(source["name"])
        return reply

    def listed(handler: Handler, arguments: Arguments) -> Reply:
        document = handler(**arguments).document
        namespace = arguments["namespace"]
        more = [
            {"namespace": namespace.split(SEPARATOR), "name": name}
            for name in former.get(namespace, ())
        ]
        return json_reply({**document, "identifiers": document["identifiers"] + more})

    on_call(op.rename_view, renamed)(service)
    on_call(LIST, listed)(service)


@fault("IRC-VIEW-LIST-003", by=partial(on_answer, LIST))
def no_views_are_no_list(document: Document) -> None:
    if not document["identifiers"]:
        del document["identifiers"]


@fault("IRC-VIEW-LIST-004", by=partial(on_call, LIST))
def pages_of_views_overlap(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    if not arguments.get("page_token"):
        return reply
    first = handler(**{**arguments, "page_token": ""}).document["identifiers"]
    document = reply.document
    return json_reply({**document, "identifiers": first[:1] + document["identifiers"]})


FAULTS = {
    "lists-views-of-nowhere IRC-VIEW-LIST-002": on_refusal(
        LIST,
        404,
        lambda handler, arguments: json_reply({"identifiers": [], "next-page-token": None}),
    ),
    "missing-views-make-missing-lists IRC-VIEW-LIST-003": on_call(
        LIST, lambda handler, arguments: _found(handler(**arguments))
    ),
    "pages-of-views-end-early IRC-VIEW-LIST-004": on_answer(
        LIST, lambda document: document.update({"next-page-token": None})
    ),
    "views-exist-with-200 IRC-VIEW-LOAD-005": on_status(EXISTS, {204: 200}),
    "every-view-exists IRC-VIEW-LOAD-005": on_status(EXISTS, {404: 204}),
}
