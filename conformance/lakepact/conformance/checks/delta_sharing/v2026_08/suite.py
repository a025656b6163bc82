"""The suite of version 2026-08: all of 2026-02, and the additions."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import orjson

from lakepact.conformance.checks.delta_sharing.embedded import (
    launch_settings as settings_of_2026_02,
)
from lakepact.conformance.checks.delta_sharing.kit.catalog import (
    CAPABILITIES,
    EITHER_FORMAT,
    Catalogue,
    Walk,
    path,
)
from lakepact.conformance.checks.delta_sharing.kit.lab import SharingLab
from lakepact.conformance.checks.delta_sharing.suite import discover as discover_before
from lakepact.conformance.evidence.extras import DELTA
from lakepact.conformance.evidence.target import Detected, Offer, Target
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
    offer = discover_before(wire, target)
    asynchronous = _runs_queries(wire, offer.result("listed"))
    features: dict[str, Callable[[], bool]] = {
        **{name: partial(offer.features.__getitem__, name) for name in offer.features},
        "async-query": lambda: asynchronous,
        "historical-protocol": lambda: "fixtures" in target.parameters,
    }
    operations = offer.operations | ({op.get_query_info} if asynchronous else set())
    return replace(offer, operations=operations, features=Detected(features))


def _runs_queries(wire: Wire, outline: Catalogue) -> bool:
    """Return whether the first table that is read by URLs is queried in the background."""
    walk = Walk(wire)
    tables = map(walk.with_metadata, outline.tables)
    table = next((t for t in tables if t.format and "url" in t.access_modes), None)
    if table is None:
        return False
    where = path("shares", table.share, "schemas", table.schema, "tables", table.name, "query")
    headers = [(CAPABILITIES, ASYNC), ("Content-Type", "application/json")]
    body = orjson.dumps({"idempotencyKey": str(uuid.uuid4()), "limitHint": 1})
    reply = walk.request(where, op.query_table, method="POST", headers=headers, body=body)
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
