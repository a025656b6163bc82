"""Wrong ways with the credentials of tables."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_answer, on_call, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from mutants.iceberg_rest.operators.credentials import each_credential, given

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler, Service

LOAD = op.load_credentials
ENDS = "s3.session-token-expires-at-ms"
ENVELOPE = "storage-credentials"


def _listed(edit: Callable[[Any], Any]) -> Install:
    """Send something else as the credentials that are loaded by themselves."""
    return on_answer(LOAD, lambda document: {**document, ENVELOPE: edit(document[ENVELOPE])}, status=200)


@fault("IRC-TBL-CRED-001")
def credentials_as_one_object() -> Install:
    """The operation loadCredentials returns one object instead of an array."""
    return _listed(lambda all_: all_[0])


@fault("IRC-TBL-CRED-001")
def credentials_without_envelope() -> Install:
    """The operation loadCredentials returns a bare array."""
    return on_answer(LOAD, lambda document: document[ENVELOPE], status=200)


@fault("IRC-TBL-CRED-001", by=partial(on_call, LOAD))
def credentials_of_no_table(_: Handler, __: dict[str, Any]) -> Reply:
    """The operation loadCredentials returns 404 for an existing table."""
    raise Problem(404, "NoSuchTableException", "Table does not exist")


@fault("IRC-TBL-CRED-001")
def credentials_are_created() -> Install:
    """The operation loadCredentials returns 201."""
    return on_status(LOAD, {200: 201})


@fault("IRC-TBL-CRED-002")
def credentials_with_numbers() -> Install:
    """The expiry of a credential is a number."""
    return each_credential(lambda one: {**one, "config": {**one["config"], ENDS: int(one["config"][ENDS])}})


def for_the_usual_place(document: Document) -> None:
    """Prefix the credentials of a created table with its usual location."""
    levels, _, name = document["metadata"]["location"].rpartition("/")
    for one in document.get(ENVELOPE) or ():
        one["prefix"] = f"{levels}/{name.rpartition('-')[0] or name}/{name}"


@fault("IRC-TBL-CRED-004")
def created_tables_have_usual_credentials() -> Install:
    """The credentials of a new table are for the default location, not the requested one."""
    return on_answer(op.create_table, for_the_usual_place)


@fault("IRC-TBL-CRED-004")
def credentials_stay_behind(service: Service) -> None:
    """Credentials are for the first location of a table, also after it has moved."""
    first: dict[tuple[Any, Any], list[Document]] = {}

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        document = reply.document
        if document.get(ENVELOPE):
            document[ENVELOPE] = first.setdefault((arguments["namespace"], arguments["table"]), document[ENVELOPE])
        return replace(reply, body=orjson.dumps(document))

    on_call(op.load_table, act)(service)


@fault("IRC-TBL-CRED-002")
def credentials_for_everything() -> Install:
    """Credentials name no prefix."""
    return each_credential(lambda one: {"config": one["config"]})


@fault("IRC-TBL-CRED-002")
def credentials_as_pairs() -> Install:
    """The config of a credential is a list of pairs."""
    return _listed(lambda all_: [{**one, "config": list(map(list, one["config"].items()))} for one in all_])


@fault("IRC-TBL-CRED-004", by=partial(each_credential))
def credentials_for_the_neighbour(one: Document) -> Document:
    """Credentials are for the parent directory of the table."""
    return {**one, "prefix": f"{one['prefix']}-of-another"}


@fault("IRC-TBL-CRED-005")
def credentials_twice() -> Install:
    """Every credential comes twice."""
    return given(lambda credentials: credentials * 2)


@fault("IRC-TBL-CRED-006", by=partial(on_call, LOAD))
def credentials_of_anything(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """The operation loadCredentials returns an empty array for a missing table."""
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != 404:
            raise
        return json_reply({ENVELOPE: []})


@fault("IRC-ERR-008", by=partial(on_call, LOAD))
def credentials_need_a_namespace(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """The operation loadCredentials of a missing table returns NoSuchNamespaceException."""
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != 404:
            raise
        raise Problem(404, "NoSuchNamespaceException", problem.message) from None


@fault("IRC-TBL-CRED-007", by=partial(on_call, LOAD))
def credentials_fail(_: Handler, __: dict[str, Any]) -> Reply:
    """A request for credentials returns 500."""
    raise Problem(500, "InternalServerError", "there is no such key: s3.access-key-id")


@fault("IRC-TBL-CRED-008")
def credentials_end_sooner() -> Install:
    """Each load returns credentials that expire earlier."""
    minutes = itertools.count()

    def change(one: Document) -> Document:
        end = int(one["config"][ENDS]) - 60_000 * next(minutes)
        return {**one, "config": {**one["config"], ENDS: str(end)}}

    return each_credential(change)


@fault("IRC-TBL-CRED-009")
def credentials_of_nowhere() -> Install:
    """The prefix of credentials is empty."""
    return each_credential(lambda one: {**one, "prefix": ""})


@fault("IRC-TBL-CRED-009")
def credentials_of_nothing() -> Install:
    """The `config` of credentials is empty."""
    return each_credential(lambda one: {**one, "config": {}})
