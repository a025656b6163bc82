"""The requests of `lakepact probe`, which change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from lakepact.conformance.checks.iceberg_rest.kit.detection import NO_ROUTE
from lakepact.conformance.checks.iceberg_rest.kit.endpoints import operation_of
from lakepact.conformance.checks.iceberg_rest.kit.probes import classify_answer
from lakepact.conformance.checks.iceberg_rest.suite import discover
from lakepact.conformance.evidence.exchanges import Document, Exchange
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.running.discovery import Listing, ProbeSpec, names_in
from lakepact.generated.iceberg_rest import op

LOADS = frozenset({op.load_table})
LEFT_OUT = MappingProxyType(
    {
        op.load_credentials: "not asked: it would hand out keys",
        op.fetch_planning_result: "not asked: it needs a plan",
    }
)


def path(target: Target) -> str:
    """Return the path of the configuration."""
    warehouse = target.parameters.get("warehouse")
    return "/v1/config" + (f"?warehouse={quote(warehouse, safe='')}" if warehouse else "")


def recognises(exchange: Exchange) -> bool:
    """Return whether this is a configuration, or the refusal of one."""
    document = exchange.json if isinstance(exchange.json, dict) else {}
    if exchange.status == 200:
        return bool(document.keys() & {"defaults", "overrides", "endpoints"})
    return (
        isinstance(document.get("error"), dict)
        and {"message", "type"} <= document["error"].keys()
        and exchange.status != 404
    )


def namespaces(document: Any) -> list[str]:
    """Return the namespaces of a listing, as they stand in a path."""
    members = document.get("namespaces")
    levels = (
        [
            n
            for n in members
            if isinstance(n, list) and n and all(isinstance(level, str) for level in n)
        ]
        if isinstance(members, list)
        else []
    )
    return [quote("\x1f".join(n), safe="") for n in levels]


def tells(exchange: Exchange) -> dict[str, str]:
    """Return further facts of a configuration; settings by name only, since values may be
    secret.
    """
    config = exchange.json if isinstance(exchange.json, dict) else {}
    facts = {
        part: ", ".join(sorted(map(str, config[part])))
        for part in ("defaults", "overrides")
        if isinstance(config.get(part), dict)
    }
    endpoints = config.get("endpoints")
    operations = (
        {str(e): operation_of(e, _prefix(config)) for e in endpoints}
        if isinstance(endpoints, list)
        else {}
    )
    beyond = sorted(e for e, operation in operations.items() if operation is None)
    other = sorted(
        e
        for e, operation in operations.items()
        if operation and e != f"{operation.method} {operation.path}"
    )
    facts |= {"endpoints of no version": ", ".join(beyond)} if beyond else {}
    facts |= {"endpoints spelled otherwise": ", ".join(other)} if other else {}
    return {name: text for name, text in facts.items() if text}


def _prefix(config: Document) -> str | None:
    """Return the prefix of a configuration."""
    settings = [config.get(part) for part in ("overrides", "defaults")]
    prefixes = [setting.get("prefix") for setting in settings if isinstance(setting, dict)]
    return next((prefix for prefix in prefixes if isinstance(prefix, str)), None)


def finds(exchanges: Sequence[Exchange]) -> dict[str, bool]:
    """Return the features that answers show: whether tables carry an ETag."""
    loads = [e for e in exchanges if e.operation in LOADS and e.status == 200]
    return {"etag": all("etag" in e.headers for e in loads)} if loads else {}


probe_spec = ProbeSpec(
    first=op.get_config,
    path=path,
    recognises=recognises,
    declares=discover,
    tells=tells,
    finds=finds,
    left_out=LEFT_OUT,
    no_route=f"/v1/{{prefix}}/namespaces/{{namespace}}{NO_ROUTE}",
    shows=classify_answer,
    listings=MappingProxyType(
        {
            op.list_namespaces: Listing("namespace", namespaces),
            op.list_tables: Listing("table", lambda document: names_in(document, "identifiers")),
            op.list_views: Listing("view", lambda document: names_in(document, "identifiers")),
        }
    ),
)
