"""The suite of version 1.12.0: all of 1.11.0, and the additions."""

from __future__ import annotations

from pathlib import Path

import orjson

from lakepact.conformance.checks.iceberg_rest.kit.contract_schemas import ContractSchemas
from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab
from lakepact.conformance.checks.iceberg_rest.kit.leftovers import leftovers
from lakepact.conformance.checks.iceberg_rest.kit.refused_changes import ComparingLab
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import discover, in_bucket, with_lines
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import (
    launch_settings as settings_of_1_11,
)
from lakepact.conformance.checks.iceberg_rest.v1_12_0.sample_functions import SAMPLES
from lakepact.conformance.running.embedded_target import EmbeddedTarget
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract
from lakepact.generated.iceberg_rest import op

VERSION = "1.12.0"
SCHEMAS = ContractSchemas(Contract("iceberg_rest", VERSION))


def launch_settings(folder: Path) -> EmbeddedTarget:
    """Return the settings of 1.11.0 for this version, with functions."""
    functions = folder / "functions.json"
    functions.write_bytes(orjson.dumps(SAMPLES))
    return with_lines(
        settings_of_1_11(folder), f'functions = "{functions.as_posix()}"', contract_version=VERSION
    )


suite: Suite[CatalogLab] = Suite(
    "iceberg_rest",
    version=VERSION,
    lab=ComparingLab,
    discover=discover,
    launch_settings=launch_settings,
    launch_settings_for={op.sign_request: lambda folder: in_bucket(launch_settings(folder))},
    leftovers=leftovers,
    parameters={
        "function-namespace": (
            "a namespace with functions, levels joined by dots; by default, the first with some at"
            " the top level"
        )
    },
)
check = suite.check
