"""The suite of version 1.12.0: all of 1.11.0, and the additions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import orjson

from lakepact.conformance.checks.iceberg_rest.kit.contract_schemas import ContractSchemas
from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab
from lakepact.conformance.checks.iceberg_rest.kit.leftovers import leftovers
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import discover, in_bucket
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import launch_settings as settings_of_1_11
from lakepact.conformance.checks.iceberg_rest.v1_12_0.sample_functions import SAMPLES
from lakepact.conformance.running.embedded_target import EmbeddedTarget
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract
from lakepact.generated.iceberg_rest import op

VERSION = "1.12.0"
SCHEMAS = ContractSchemas(Contract("iceberg_rest", VERSION))


def launch_settings(folder: Path) -> EmbeddedTarget:
    """As before, but serving this version, with functions."""
    home = settings_of_1_11(folder)
    before, file, functions = Path(home.settings["config"]), folder / "newest.toml", folder / "functions.json"
    functions.write_bytes(orjson.dumps(SAMPLES))
    known = f"[warehouses.{home.parameters['warehouse']}]\n"
    file.write_text(before.read_text(encoding="utf-8").replace(known, f'{known}functions = "{functions.as_posix()}"\n'), encoding="utf-8")
    return replace(home, settings={**home.settings, "config": file, "contract_version": VERSION})


suite = Suite(
    "iceberg_rest",
    version=VERSION,
    lab=CatalogLab,
    discover=discover,
    launch_settings=launch_settings,
    launch_settings_for={op.sign_request: lambda folder: in_bucket(launch_settings(folder))},
    leftovers=leftovers,
    parameters={
        "function-namespace": "a namespace with functions, levels joined by dots; by default, the first with some at the top level"
    },
)
check = suite.check
