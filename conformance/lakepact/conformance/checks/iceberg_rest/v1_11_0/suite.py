"""The suite of version 1.11.0: all of 1.10.0, and the additions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote

from lakepact.conformance.checks.iceberg_rest.embedded import launch_settings as settings_of_1_10
from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab
from lakepact.conformance.checks.iceberg_rest.kit.leftovers import leftovers
from lakepact.conformance.checks.iceberg_rest.kit.refused_changes import ComparingLab
from lakepact.conformance.checks.iceberg_rest.suite import discover as discover_before
from lakepact.conformance.checks.iceberg_rest.suite import with_a_table
from lakepact.conformance.evidence.exchanges import Members
from lakepact.conformance.evidence.shared_files import READABLE_FILES
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.running.embedded_target import EmbeddedTarget
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract
from lakepact.generated.iceberg_rest import op

VERSION = "1.11.0"
LIFETIME = "idempotency-key-lifetime"
SEPARATOR = "namespace-separator"


def configuration(wire: Wire, target: Target, *, check: str) -> Members:
    """Return the configuration of the catalog for the checked warehouse; empty if there is none."""
    warehouse = target.parameters.get("warehouse")
    query = f"?warehouse={quote(warehouse, safe='')}" if warehouse else ""
    reply = wire.send(
        "GET",
        f"/v1/config{query}",
        operation=op.get_config,
        check=check,
        accepts="application/json",
    )
    document = reply.exchange.json
    return document if reply.status == 200 and isinstance(document, dict) else {}


def discover(wire: Wire, target: Target) -> Offer:
    """Detect what a catalog declares, including the additions of this version.

    Raises:
        Blocked: it does not answer at all.
    """
    offer = discover_before(wire, target)
    config = configuration(wire, target, check="discover")
    overrides = config.get("overrides")
    declared = {
        "idempotency-key": LIFETIME in config,
        "namespace-separator": isinstance(overrides, dict) and SEPARATOR in overrides,
        "remote-signing": op.sign_request in offer.operations,
    }
    offer = replace(offer, features=MappingProxyType({**offer.features, **declared}))
    return with_a_table(wire, target, offer, contract=Contract("iceberg_rest", VERSION))


def with_lines(home: EmbeddedTarget, lines: str, **settings: str) -> EmbeddedTarget:
    """Return a server with further lines for its warehouse in its configuration file, and with
    other settings.
    """
    file, head = Path(home.settings["config"]), f"[warehouses.{home.parameters['warehouse']}]\n"
    file.write_text(
        file.read_text(encoding="utf-8").replace(head, f"{head}{lines}\n"), encoding="utf-8"
    )
    return replace(home, settings={**home.settings, **settings})


def launch_settings(folder: Path) -> EmbeddedTarget:
    """Return the settings of 1.10.0 for this version, with a separator that no name holds."""
    return with_lines(
        settings_of_1_10(folder), 'overrides.namespace-separator = "%1E"', contract_version=VERSION
    )


def in_bucket(home: EmbeddedTarget) -> EmbeddedTarget:
    """Return a server with tables in a bucket; it signs requests with made-up keys."""
    return replace(
        with_lines(home, 'location = "s3://lakepact/lake"'),
        features={**home.features, READABLE_FILES: False},
    )


suite: Suite[CatalogLab] = Suite(
    "iceberg_rest",
    version=VERSION,
    lab=ComparingLab,
    discover=discover,
    launch_settings=launch_settings,
    launch_settings_for={op.sign_request: lambda folder: in_bucket(launch_settings(folder))},
    leftovers=leftovers,
)
check = suite.check
invariant = suite.invariant
