"""Servers that find the old data of dropped things under names that are used again."""

from __future__ import annotations

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_call
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler


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
def tables_keep_the_properties_of_dropped_ones() -> Install:
    old: dict[tuple[str, str], dict[str, str]] = {}

    def create(handler: Handler, arguments: Arguments) -> Reply:
        body = arguments["body"]
        key = (arguments["namespace"], body["name"])
        properties = {**old.get(key, {}), **(body.get("properties") or {})}
        old[key] = properties
        return handler(**{**arguments, "body": {**body, "properties": properties}})

    return on_call(op.create_table, create)
