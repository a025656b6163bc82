"""Wrong ways with the credentials of tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_answer, on_call, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.credentials import each_credential, given
from mutants.operators import on_refusal, refuse_calls

LOAD = op.load_credentials
ENDS = "s3.session-token-expires-at-ms"
ENVELOPE = "storage-credentials"


def _on_credentials(edit: Callable[[Any], Any]) -> Install:
    """Send something else as the credentials that are loaded by themselves."""
    return on_answer(
        LOAD, lambda document: {**document, ENVELOPE: edit(document[ENVELOPE])}, status=200
    )


def for_the_usual_place(document: Document) -> None:
    """Prefix the credentials of a created table with its usual location."""
    levels, _, name = document["metadata"]["location"].rpartition("/")
    for one in document.get(ENVELOPE) or ():
        one["prefix"] = f"{levels}/{name.rpartition('-')[0] or name}/{name}"


@fault("IRC-TBL-CRED-004")
def credentials_stay_behind(service: Service) -> None:
    first: dict[tuple[Any, Any], list[Document]] = {}

    def act(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        document = reply.document
        if document.get(ENVELOPE):
            document[ENVELOPE] = first.setdefault(
                (arguments["namespace"], arguments["table"]), document[ENVELOPE]
            )
        return replace(reply, body=orjson.dumps(document))

    on_call(op.load_table, act)(service)


@fault("IRC-ERR-008", by=partial(on_call, LOAD))
def credentials_need_a_namespace(handler: Handler, arguments: Arguments) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != 404:
            raise
        raise Problem(404, "NoSuchNamespaceException", problem.message) from None


@fault("IRC-TBL-CRED-008")
def credentials_end_sooner() -> Install:
    minutes = itertools.count()

    def change(one: Document) -> Document:
        end = int(one["config"][ENDS]) - 60_000 * next(minutes)
        return {**one, "config": {**one["config"], ENDS: str(end)}}

    return each_credential(change)


FAULTS = {
    "credentials-of-no-table IRC-TBL-CRED-001": refuse_calls(
        LOAD, lambda _: True, Problem(404, "NoSuchTableException", "Table does not exist")
    ),
    "credentials-fail IRC-TBL-CRED-007": refuse_calls(
        LOAD,
        lambda _: True,
        Problem(500, "InternalServerError", "there is no such key: s3.access-key-id"),
    ),
    "credentials-of-anything IRC-TBL-CRED-006": on_refusal(
        LOAD, 404, lambda handler, arguments: json_reply({ENVELOPE: []})
    ),
    "credentials-as-one-object IRC-TBL-CRED-001": _on_credentials(lambda all_: all_[0]),
    "credentials-without-envelope IRC-TBL-CRED-001": on_answer(
        LOAD, lambda document: document[ENVELOPE], status=200
    ),
    "credentials-are-created IRC-TBL-CRED-001": on_status(LOAD, {200: 201}),
    "credentials-with-numbers IRC-TBL-CRED-002": each_credential(
        lambda one: {**one, "config": {**one["config"], ENDS: int(one["config"][ENDS])}}
    ),
    "created-tables-have-usual-credentials IRC-TBL-CRED-004": on_answer(
        op.create_table, for_the_usual_place
    ),
    "credentials-for-everything IRC-TBL-CRED-002": each_credential(
        lambda one: {"config": one["config"]}
    ),
    "credentials-as-pairs IRC-TBL-CRED-002": _on_credentials(
        lambda all_: [{**one, "config": list(map(list, one["config"].items()))} for one in all_]
    ),
    "credentials-for-the-neighbour IRC-TBL-CRED-004": each_credential(
        lambda one: {**one, "prefix": f"{one['prefix']}-of-another"}
    ),
    "credentials-twice IRC-TBL-CRED-005": given(lambda credentials: credentials * 2),
    "credentials-of-nowhere IRC-TBL-CRED-009": each_credential(lambda one: {**one, "prefix": ""}),
    "credentials-of-nothing IRC-TBL-CRED-009": each_credential(lambda one: {**one, "config": {}}),
}
