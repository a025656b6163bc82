"""Properties of namespaces that are set or removed wrongly."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import faults
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.http.wire import Wire
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR
from mutants.iceberg_rest.operators.namespaces import made_where_missing
from mutants.iceberg_rest.operators.races import FAILURE, crowded
from mutants.iceberg_rest.operators.requests import asked_for, refused_if
from mutants.operators import refuse_calls

UPDATE = op.update_properties


def on_result(edit: Callable[[dict[str, Any]], Any]) -> faults.Install:
    """Another answer to an update."""
    return faults.on_answer(UPDATE, edit)


@faults.fault("IRC-NS-PROP-003", breaks_at="/properties")
def updates_replace_everything(service: Service) -> None:
    load = service.handlers[op.load_namespace_metadata]

    def act(handler: Handler, arguments: Arguments) -> Reply:
        body = arguments["body"]
        stored = load(namespace=arguments["namespace"]).document["properties"]
        updates = body.get("updates") or {}
        gone = [key for key in stored if key not in updates]
        reply = handler(
            namespace=arguments["namespace"], body={"removals": gone, "updates": updates}
        ).document
        return json_reply(
            {
                **reply,
                "removed": [key for key in reply["removed"] if key in (body.get("removals") or [])],
            }
        )

    faults.on_call(UPDATE, act)(service)


@faults.fault("IRC-NS-PROP-020")
def updates_drop_tables(service: Service) -> None:
    handlers = service.handlers

    def act(handler: Handler, arguments: Arguments) -> Reply:
        reply, namespace = handler(**arguments), arguments["namespace"]
        for table in handlers[op.list_tables](namespace=namespace).document["identifiers"]:
            handlers[op.drop_table](namespace=namespace, table=table["name"])
        return reply

    faults.on_call(UPDATE, act)(service)


@faults.fault("IRC-NS-PROP-020")
def updates_drop_tables_of_children(service: Service) -> None:
    handlers = service.handlers

    def act(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        for child in handlers[op.list_namespaces](parent=arguments["namespace"]).document[
            "namespaces"
        ]:
            below = SEPARATOR.join(child)
            for table in handlers[op.list_tables](namespace=below).document["identifiers"]:
                handlers[op.drop_table](namespace=below, table=table["name"])
        return reply

    faults.on_call(UPDATE, act)(service)


@faults.fault("IRC-NS-PROP-005")
def empty_values_are_missing(service: Service) -> None:
    load = service.handlers[op.load_namespace_metadata]

    def act(handler: Handler, arguments: Arguments) -> Reply:
        stored = load(namespace=arguments["namespace"]).document["properties"]
        reply = handler(**arguments).document
        there = [key for key in reply["removed"] if stored[key]]
        empty = [key for key in reply["removed"] if not stored[key]]
        return json_reply({**reply, "removed": there, "missing": [*reply["missing"], *empty]})

    faults.on_call(UPDATE, act)(service)


@faults.fault("IRC-NS-PROP-005", "IRC-NS-PROP-006", by=on_result)
def missing_counts_as_removed(document: dict[str, Any]) -> None:
    document["removed"] += document["missing"]


@faults.fault("IRC-NS-PROP-006")
def unknown_removals_refused(service: Service) -> None:
    load = service.handlers[op.load_namespace_metadata]

    def act(handler: Handler, arguments: Arguments) -> Reply:
        stored = load(namespace=arguments["namespace"]).document["properties"]
        unknown = [key for key in arguments["body"].get("removals") or [] if key not in stored]
        if unknown:
            raise Problem(400, "BadRequestException", f"no such property: {unknown[0]}")
        return handler(**arguments)

    faults.on_call(UPDATE, act)(service)


@faults.fault("IRC-NS-PROP-009")
def refused_updates_are_done(service: Service) -> None:
    refuse = service.rules.current("keys_are_disjoint")
    service.rules.replace("keys_are_disjoint", faults.accept)

    def act(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        refuse(arguments["body"].get("updates") or {}, arguments["body"].get("removals") or [])
        return reply

    faults.on_call(UPDATE, act)(service)


@faults.fault(
    "IRC-NS-PROP-012",
    by=lambda act: faults.all_of(faults.skip_validation(UPDATE), faults.on_call(UPDATE, act)),
)
def duplicate_removals_fail(handler: Handler, arguments: Arguments) -> Reply:
    removals = arguments["body"].get("removals") or []
    if len(removals) != len(set(removals)):
        raise KeyError(removals[0])
    return handler(**arguments)


@faults.fault(
    "IRC-NS-PROP-014",
    by=lambda act: faults.all_of(faults.skip_validation(UPDATE), asked_for(UPDATE, act)),
)
def any_value_as_text(body: Document) -> Document:
    return {
        **body,
        "updates": {key: str(value) for key, value in (body.get("updates") or {}).items()},
    }


@faults.fault("IRC-NS-PROP-017", breaks_at="/properties")
def parallel_updates_lost(service: Service) -> None:
    read: dict[str, dict[str, str]] = {}
    load = service.handlers[op.load_namespace_metadata]

    def act(handler: Handler, arguments: Arguments) -> Reply:
        namespace = arguments["namespace"]
        stored = load(namespace=namespace).document["properties"]
        before = read.setdefault(namespace, stored)
        updates = arguments["body"].get("updates") or {}
        others = [key for key in stored if key not in before and key not in updates]
        reply = handler(**arguments)
        handler(namespace=namespace, body={"removals": others, "updates": {}})
        return reply

    async def answer(wire: Wire, reply: Reply) -> None:
        await asyncio.sleep(0.05)
        read.clear()
        await wire.answer(reply)

    faults.all_of(faults.on_call(UPDATE, act), faults.on_wire(UPDATE, answer))(service)


FAULTS = {
    "both-members-are-needed IRC-NS-PROP-018": refuse_calls(
        UPDATE,
        lambda arguments: arguments["body"].keys() < {"updates", "removals"} and arguments["body"],
        Problem(400, "BadRequestException", "updates and removals are required"),
    ),
    "update-without-removed IRC-NS-PROP-001": on_result(lambda d: {"updated": d["updated"]}),
    "updated-as-object IRC-NS-PROP-001": on_result(
        lambda d: {**d, "updated": dict.fromkeys(d["updated"], "x")}
    ),
    "keys-not-overwritten IRC-NS-PROP-002 IRC-NS-PROP-016": asked_for(
        UPDATE, lambda body: {**body, "updates": {}}
    ),
    "updated-is-empty IRC-NS-PROP-004": on_result(lambda d: {**d, "updated": []}),
    "removed-is-empty IRC-NS-PROP-005": on_result(lambda d: {**d, "removed": []}),
    "missing-is-an-object IRC-NS-PROP-007": on_result(lambda d: {**d, "missing": {"never": True}}),
    "missing-holds-removed IRC-NS-PROP-015": on_result(
        lambda document: document.update(missing=document["missing"] + document["removed"])
    ),
    "missing-as-text IRC-NS-PROP-006": on_result(
        lambda document: document.update(missing=", ".join(document["missing"]))
    ),
    "contradictions-are-400 IRC-NS-PROP-008": faults.on_status(UPDATE, {422: 400}),
    "contradictions-accepted IRC-NS-PROP-008": faults.replace_rule(
        "keys_are_disjoint", faults.accept
    ),
    "updates-make-namespaces IRC-NS-PROP-010": made_where_missing(UPDATE),
    "nothing-to-do-refused IRC-NS-PROP-013": refused_if(
        UPDATE, lambda body: not body.get("updates") and not body.get("removals")
    ),
    "properties-of-the-first-level IRC-NS-PROP-016": faults.on_call(
        UPDATE,
        lambda handler, arguments: handler(
            **{**arguments, "namespace": arguments["namespace"].split("\x1f")[0]}
        ),
    ),
    "simultaneous-updates-fail IRC-NS-PROP-019": crowded(
        op.update_properties, first=None, others=FAILURE
    ),
}
