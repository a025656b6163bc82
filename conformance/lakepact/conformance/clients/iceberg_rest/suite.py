"""The suite of clients of Iceberg REST catalogs."""

from __future__ import annotations

from functools import partial

from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
from lakepact.conformance.clients.lab import everything
from lakepact.conformance.running.embedded_target import EmbeddedTarget
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract

suite = Suite(
    "iceberg_rest",
    lab=CatalogClientLab,
    discover=partial(everything, CatalogClientLab, Contract("iceberg_rest")),
    launch_settings=EmbeddedTarget.with_tables,
)
check = suite.check
invariant = suite.invariant
