"""Servers that find the old data of dropped things under names that are used again."""

from __future__ import annotations

from dataclasses import replace

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, all_of, fault, on_call
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR


@fault("IRC-GEN-037")
def namespaces_keep_the_properties_of_dropped_ones() -> Install:
    old: dict[str, dict[str, str]] = {}

    def create(handler: Handler, arguments: Arguments) -> Reply:
        body = arguments["body"]
        former = old.get(".".join(body["namespace"]), {})
        properties = {**former, **(body.get("properties") or {})}
        old[".".join(body["namespace"])] = properties
        return handler(**{**arguments, "body": {**body, "properties": properties}})

    return on_call(op.create_namespace, create)


@fault("IRC-GEN-037")
def namespaces_list_former_tables() -> Install:
    drops: dict[str, list[str]] = {}
    former: dict[str, list[str]] = {}

    def drop_table(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        drops.setdefault(arguments["namespace"], []).append(arguments["table"])
        return reply

    def drop_namespace(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        former[arguments["namespace"]] = drops.pop(arguments["namespace"], [])
        return reply

    def list_tables(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        levels = arguments["namespace"].split(SEPARATOR)
        document = reply.document
        document["identifiers"] += [
            {"namespace": levels, "name": name} for name in former.get(arguments["namespace"], ())
        ]
        return replace(reply, body=orjson.dumps(document))

    return all_of(
        on_call(op.drop_table, drop_table),
        on_call(op.drop_namespace, drop_namespace),
        on_call(op.list_tables, list_tables),
    )


@fault("IRC-GEN-037")
def tables_keep_the_properties_of_dropped_ones() -> Install:
    old: dict[tuple[str, str], dict[str, str]] = {}

    def create(handler: Handler, arguments: Arguments) -> Reply:
        body = arguments["body"]
        key = (arguments["namespace"], body["name"])
        properties = {**old.get(key, {}), **(body.get("properties") or {})}
        old[key] = properties
        return handler(**{**arguments, "body": {**body, "properties": properties}})

    return on_call(op.create_table, create)
