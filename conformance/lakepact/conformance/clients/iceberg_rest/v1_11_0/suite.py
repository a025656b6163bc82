"""The suite of clients of version 1.11.0: all of 1.10.0, and its additions."""

from __future__ import annotations

from functools import partial

from lakepact.conformance.clients.iceberg_rest.kit.lab import TASKS, CatalogClientLab
from lakepact.conformance.clients.lab import everything
from lakepact.conformance.running.embedded_target import EmbeddedTarget
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract

VERSION = "1.11.0"


class NewerCatalogClientLab(CatalogClientLab):
    """The lab of one check of clients of this version."""

    tasks = TASKS | {
        "set-properties-twice": (
            "namespace, table, first, second: commit the first properties, then the second"
        )
    }


suite = Suite(
    "iceberg_rest",
    version=VERSION,
    lab=NewerCatalogClientLab,
    discover=partial(everything, NewerCatalogClientLab, Contract("iceberg_rest", VERSION)),
    launch_settings=partial(EmbeddedTarget.with_tables, contract_version=VERSION),
)
check = suite.check
invariant = suite.invariant
