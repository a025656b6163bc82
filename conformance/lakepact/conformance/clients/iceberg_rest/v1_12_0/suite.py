"""The suite of clients of version 1.12.0: all of 1.11.0, and its additions."""

from __future__ import annotations

from functools import partial

from lakepact.conformance.clients.iceberg_rest.protocol.requests import Requests, judge_requests
from lakepact.conformance.clients.iceberg_rest.v1_11_0.suite import NewerCatalogClientLab
from lakepact.conformance.clients.lab import everything
from lakepact.conformance.running.embedded_target import EmbeddedTarget
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract

VERSION = "1.12.0"
CONTRACT = Contract("iceberg_rest", VERSION)

suite = Suite(
    "iceberg_rest",
    version=VERSION,
    lab=NewerCatalogClientLab,
    discover=partial(everything, NewerCatalogClientLab, CONTRACT),
    launch_settings=partial(EmbeddedTarget.with_tables, contract_version=VERSION),
)
check = suite.check
judge_requests(suite, Requests(CONTRACT))
