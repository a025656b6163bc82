"""Wrong ways with the credentials of tables."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.faults import Fault, Install, anew, around, on_answer, on_call, on_status
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler, Service

    Credentials = list[Document]

LOAD = "loadCredentials"
ENDS = "s3.session-token-expires-at-ms"
ENVELOPE = "storage-credentials"


def _given(edit: Callable[[Credentials], Credentials]) -> Install:
    """Hand out other credentials, with tables and by themselves."""

    def wrapped(usual: Callable[..., Credentials]) -> Callable[..., Credentials]:
        def credentials(*arguments: Any, **named: Any) -> Credentials:
            return edit(usual(*arguments, **named))

        return credentials

    return around("rules", "storage-credentials", wrapped)


def _each(change: Callable[[Document], Document]) -> Install:
    return _given(lambda credentials: [change(one) for one in credentials])


def _listed(edit: Callable[[Any], Any]) -> Install:
    """Send something else as the credentials that are loaded by themselves."""
    return on_answer(LOAD, lambda document: {**document, ENVELOPE: edit(document[ENVELOPE])}, status=200)


def _of_anything(handler: Handler, arguments: dict[str, Any]) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != 404:
            raise
        return json_reply({ENVELOPE: []})


def _not_found(_: Handler, __: dict[str, Any]) -> Reply:
    raise Problem(404, "NoSuchTableException", "Table does not exist")


def _homeless(handler: Handler, arguments: dict[str, Any]) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != 404:
            raise
        raise Problem(404, "NoSuchNamespaceException", problem.message) from None


def _failing_without(_: Handler, __: dict[str, Any]) -> Reply:
    raise Problem(500, "InternalServerError", "there is no such key: s3.access-key-id")


def _ending_sooner() -> Install:
    """Every credential ends a minute before the one before it."""
    minutes = itertools.count()

    def change(one: Document) -> Document:
        end = int(one["config"][ENDS]) - 60_000 * next(minutes)
        return {**one, "config": {**one["config"], ENDS: str(end)}}

    return _each(change)


def _beside(one: Document) -> Document:
    """The credential for what lies beside its table."""
    return {**one, "prefix": f"{one['prefix']}-of-another"}


def for_the_usual_place(document: Document) -> None:
    """Give who creates a table credentials for where it would usually lie."""
    levels, _, name = document["metadata"]["location"].rpartition("/")
    for one in document.get(ENVELOPE) or ():
        one["prefix"] = f"{levels}/{name.rpartition('-')[0] or name}/{name}"


def _as_at_first(service: Service) -> None:
    """Give the credentials of a table for where it was when they were asked for first."""
    first: dict[tuple[Any, Any], list[Document]] = {}

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        document = reply.document
        if document.get(ENVELOPE):
            document[ENVELOPE] = first.setdefault((arguments["namespace"], arguments["table"]), document[ENVELOPE])
        return replace(reply, body=orjson.dumps(document))

    on_call("loadTable", act)(service)


FAULTS = (
    Fault("credentials-as-one-object", "Credentials by themselves are one object.", ("IRC-TBL-CRED-001",), _listed(lambda all_: all_[0])),
    Fault(
        "credentials-without-envelope",
        "Credentials by themselves are a bare array.",
        ("IRC-TBL-CRED-001",),
        on_answer(LOAD, lambda document: document[ENVELOPE], status=200),
    ),
    Fault(
        "credentials-of-no-table",
        "A table is not found when its credentials are asked for.",
        ("IRC-TBL-CRED-001",),
        on_call(LOAD, _not_found),
    ),
    Fault("credentials-are-created", "Credentials by themselves come with 201.", ("IRC-TBL-CRED-001",), on_status(LOAD, {200: 201})),
    Fault(
        "credentials-with-numbers",
        "The end of a credential is a number.",
        ("IRC-TBL-CRED-002",),
        _each(lambda one: {**one, "config": {**one["config"], ENDS: int(one["config"][ENDS])}}),
    ),
    Fault(
        "created-tables-have-usual-credentials",
        "The credentials of a new table are for where it does not lie.",
        ("IRC-TBL-CRED-004",),
        on_answer("createTable", for_the_usual_place),
    ),
    Fault("credentials-stay-behind", "Credentials are for where a table was at first.", ("IRC-TBL-CRED-004",), _as_at_first),
    Fault(
        "credentials-for-everything",
        "Credentials name no prefix.",
        ("IRC-TBL-CRED-002",),
        _each(lambda one: {"config": one["config"]}),
    ),
    Fault(
        "credentials-as-pairs",
        "What a credential holds is a list of pairs.",
        ("IRC-TBL-CRED-002",),
        _listed(lambda all_: [{**one, "config": list(map(list, one["config"].items()))} for one in all_]),
    ),
    Fault("credentials-for-the-neighbour", "Credentials are for what lies beside the table.", ("IRC-TBL-CRED-004",), _each(_beside)),
    Fault("credentials-twice", "Every credential comes twice.", ("IRC-TBL-CRED-005",), _given(lambda credentials: credentials * 2)),
    Fault("credentials-of-anything", "A table that is not there has no credentials.", ("IRC-TBL-CRED-006",), on_call(LOAD, _of_anything)),
    Fault(
        "credentials-need-a-namespace",
        "Of a table that is not there, the namespace is said not to be.",
        ("IRC-TBL-CRED-006",),
        on_call(LOAD, _homeless),
    ),
    Fault("credentials-fail", "Who asks for credentials meets an error.", ("IRC-TBL-CRED-007",), on_call(LOAD, _failing_without)),
    Fault("credentials-end-sooner", "Credentials end sooner with every load.", ("IRC-TBL-CRED-008",), anew(_ending_sooner)),
    Fault("credentials-of-nowhere", "The prefix of credentials is empty.", ("IRC-TBL-CRED-009",), _each(lambda one: {**one, "prefix": ""})),
    Fault("credentials-of-nothing", "Credentials hold nothing.", ("IRC-TBL-CRED-009",), _each(lambda one: {**one, "config": {}})),
)
