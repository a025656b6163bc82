"""Namespaces that are created, loaded or found wrongly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import faults
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.identifiers import (
    SEPARATOR,
    namespace_key,
    no_such_namespace,
)
from lakepact.reference_server.storage.store import Place, Record, Transaction
from mutants.iceberg_rest.operators.races import FAILURE, crowded
from mutants.iceberg_rest.operators.requests import refused_if

NAMED = (op.create_namespace, op.load_namespace_metadata)


def with_properties(edit: Callable[[dict[str, Any]], Any]) -> faults.Install:
    """Other properties in answers."""

    def change(document: dict[str, Any]) -> None:
        document["properties"] = edit(document["properties"])

    return faults.on_answer(NAMED, change)


@faults.fault("IRC-NS-CREATE-010", by=partial(faults.on_call, op.create_namespace))
def orphans_vanish(handler: Handler, arguments: Arguments) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        body = arguments["body"]
        if problem.status != 404:
            raise
        return json_reply(
            {"namespace": body["namespace"], "properties": body.get("properties") or {}}
        )


@faults.fault("IRC-NS-CREATE-006")
def refused_but_overwritten(service: Service) -> None:
    update = service.handlers[op.update_properties]

    def act(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            body = arguments["body"]
            if problem.status == 409:
                update(
                    namespace=SEPARATOR.join(body["namespace"]),
                    body={"removals": [], "updates": body.get("properties") or {}},
                )
            raise

    faults.on_call(op.create_namespace, act)(service)


@faults.fault(
    "IRC-NS-CREATE-007",
    "IRC-NS-CREATE-014",
    "IRC-NS-CREATE-017",
    by=lambda act: faults.all_of(
        faults.skip_validation(op.create_namespace), faults.on_call(op.create_namespace, act)
    ),
)
def namespaces_of_anything(handler: Handler, arguments: Arguments) -> Reply:
    body = arguments["body"]
    levels = body.get("namespace")
    named = [str(level) for level in levels] if isinstance(levels, list) else [str(levels)]
    properties = {key: str(value) for key, value in (body.get("properties") or {}).items()}
    return handler(body={"namespace": named, "properties": properties})


@faults.fault(
    "IRC-NS-CREATE-012",
    "IRC-NS-CREATE-013",
    by=partial(faults.replace_rule, "levels_are_addressable"),
)
def any_level_will_do(levels: tuple[str, ...]) -> None:
    if not levels:
        raise Problem(400, "BadRequestException", "no levels")


@faults.fault("IRC-NS-CREATE-009", by=partial(faults.on_call, op.create_namespace))
def no_children(handler: Handler, arguments: Arguments) -> Reply:
    body = arguments["body"]
    if len(body["namespace"]) > 1:
        raise no_such_namespace(tuple(body["namespace"][:-1]))
    return handler(body=body)


@faults.fault("IRC-NS-GET-006", by=partial(faults.replace_rule, "namespace_exists"))
def missing_child_is_its_parent(transaction: Transaction, levels: Place) -> Record:
    record = transaction.get(namespace_key(levels)) or transaction.get(
        namespace_key(levels[:-1]) if len(levels) > 1 else namespace_key(levels)
    )
    if record is None:
        raise no_such_namespace(levels)
    return record


FAULTS = {
    "namespaces-joined IRC-NS-ENC-005 IRC-NS-GET-001": faults.on_answer(
        NAMED, lambda document: document.update(namespace=".".join(document["namespace"]))
    ),
    "created-name-shortened IRC-NS-GET-001 IRC-NS-CREATE-009": faults.on_answer(
        NAMED, lambda document: document.update(namespace=document["namespace"][-1:])
    ),
    "created-without-answer IRC-NS-CREATE-001": faults.on_answer(op.create_namespace, lambda _: {}),
    "properties-dropped IRC-NS-CREATE-002 IRC-NS-GET-002": with_properties(lambda _: {}),
    "properties-null IRC-NS-GET-004": with_properties(lambda _: None),
    "properties-required IRC-NS-CREATE-004": refused_if(
        op.create_namespace, lambda body: "properties" not in body
    ),
    "namespaces-created-twice IRC-NS-CREATE-005 IRC-NS-CREATE-006": faults.replace_rule(
        "namespace_is_free", faults.accept
    ),
    "namespaces-have-many-creators IRC-NS-CREATE-016": crowded(
        op.create_namespace,
        first=None,
        others=Reply(200, b'{"namespace":["shared"],"properties":{}}'),
    ),
    "namespaces-are-created-one-at-a-time IRC-NS-CREATE-018": crowded(
        op.create_namespace, first=None, others=FAILURE
    ),
    "no-levels-needed IRC-NS-CREATE-008": faults.on_status(op.create_namespace, {400: 200}),
    "missing-namespace-is-empty IRC-NS-GET-005": faults.on_reply(
        op.load_namespace_metadata,
        lambda reply, _: replace(reply, status=200, body=b"{}") if reply.status == 404 else reply,
    ),
    "namespace-heads-miss IRC-NS-HEAD-001 IRC-NS-HEAD-003": faults.on_status(
        op.namespace_exists, {204: 404}
    ),
    "namespace-heads-hit IRC-NS-HEAD-002 IRC-NS-HEAD-003": faults.on_status(
        op.namespace_exists, {404: 204}
    ),
}
