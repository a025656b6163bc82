"""The suite of version 2026-08: all of 2026-02, and the additions."""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote

import orjson

from lakepact.conformance.checks.delta_sharing.embedded import (
    launch_settings as settings_of_2026_02,
)
from lakepact.conformance.checks.delta_sharing.kit.catalog import (
    CAPABILITIES,
    EITHER_FORMAT,
    Catalogue,
    Walk,
)
from lakepact.conformance.checks.delta_sharing.kit.lab import SharingLab
from lakepact.conformance.checks.delta_sharing.suite import discover as discover_before
from lakepact.conformance.evidence.extras import DELTA
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.running.embedded_target import EmbeddedTarget
from lakepact.conformance.running.suite import Suite
from lakepact.generated.delta_sharing import op

VERSION = "2026-08"
ASYNC = f"{EITHER_FORMAT[1]};asyncquery=true"
STATUS = "queryStatus"


def discover(wire: Wire, target: Target) -> Offer:
    """Detect what a server offers, including the additions of this version.

    Raises:
        Blocked: it does not answer.
    """
    found = discover_before(wire, target)
    catalogue: Catalogue = found.found["catalogue"]
    features = {
        "async-query": _runs_queries(wire, catalogue),
        "historical-protocol": "fixtures" in target.parameters,
    }
    operations = found.operations | ({op.get_query_info} if features["async-query"] else set())
    return replace(
        found, operations=operations, features=MappingProxyType({**found.features, **features})
    )


def _runs_queries(wire: Wire, catalogue: Catalogue) -> bool:
    """Return whether the first table that is read by URLs is queried in the background."""
    table = next((table for table in catalogue.readable if "url" in table.access_modes), None)
    if table is None:
        return False
    path = "/".join(
        quote(name, safe="")
        for name in ("shares", table.share, "schemas", table.schema, "tables", table.name, "query")
    )
    headers = [(CAPABILITIES, ASYNC), ("Content-Type", "application/json")]
    body = orjson.dumps({"idempotencyKey": str(uuid.uuid4()), "limitHint": 1})
    reply = Walk(wire).asked(f"/{path}", op.query_table, method="POST", headers=headers, body=body)
    lines = reply.exchange.lines if reply is not None and reply.status == 200 else None
    return any(isinstance(line, dict) and STATUS in line for line in lines or ())


def launch_settings(folder: Path) -> EmbeddedTarget:
    """As before, but serving this version."""
    before = settings_of_2026_02(folder)
    return replace(before, settings={**before.settings, "contract_version": VERSION})


suite = Suite(
    "delta_sharing",
    version=VERSION,
    lab=SharingLab,
    discover=discover,
    launch_settings=launch_settings,
    libraries=DELTA,
)
check = suite.check
invariant = suite.invariant
