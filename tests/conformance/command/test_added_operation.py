"""An operation without handler, client and checks: commands say in one sentence what is missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def contracts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return contracts with an Iceberg REST 1.13.0 that has one operation more than 1.12.0."""
    root = tmp_path_factory.mktemp("generated")
    package = root / "lakepact" / "generated"
    with resources.as_file(resources.files("lakepact.generated.iceberg_rest")) as contract:
        shutil.copytree(contract, package / "iceberg_rest")
    manifest = json.loads(
        resources.files("lakepact.generated").joinpath("MANIFEST.json").read_bytes()
    )
    manifest["contracts"]["iceberg_rest"]["tables"].append("1.13.0")
    manifest["contracts"]["iceberg_rest"]["beside"]["1.13.0"] = {}
    (package / "MANIFEST.json").write_text(json.dumps(manifest), "utf-8")
    versions = package / "iceberg_rest" / "versions"
    shutil.copytree(versions / "v1_12_0", versions / "v1_13_0")
    path = versions / "v1_13_0" / "operations.json"
    operations = json.loads(path.read_bytes())["operations"]
    operations.append({**operations[0], "id": "countTables", "function": "count_tables"})
    path.write_text(json.dumps({"operations": operations}), "utf-8")
    return root


def ran(contracts: Path, *arguments: str) -> tuple[int, str]:
    """Run the command with these contracts, and return its exit code and what it prints."""
    process = subprocess.run(
        [sys.executable, "-m", "lakepact.cli", *arguments],
        env={**os.environ, "PYTHONPATH": str(contracts)},
        capture_output=True,
        text=True,
        check=False,
    )
    return process.returncode, process.stdout + process.stderr


def test_list_names_the_parts_without_the_operation(contracts: Path) -> None:
    _, rows = ran(contracts, "contracts", "list", "--json")

    assert [row["is"] for row in json.loads(rows) if row["version"] == "1.13.0"] == [
        (
            "incomplete: the client is of 1.12.0, the server has no handler for countTables, "
            "the suite has no checks"
        )
    ]


def test_serve_names_the_operation_without_a_handler(contracts: Path) -> None:
    sentence = (
        "Error: iceberg_rest 1.13.0: no handler for countTables; "
        "write one and name it in handlers.py, as docs/upgrade-a-contract.md says\n"
    )

    assert ran(contracts, "serve", "--port", "0", "--contract-version", "1.13.0") == (1, sentence)


@pytest.mark.parametrize(
    ("verb", "folder", "after"),
    [("check", "checks", ()), ("check-client", "clients", ("--", "true"))],
)
def test_check_names_the_folder_without_checks(
    contracts: Path, verb: str, folder: str, after: tuple[str, ...]
) -> None:
    code, output = ran(contracts, verb, "--contract-version", "1.13.0", *after)

    assert code == 2
    assert output.endswith(
        f"Error: there are no checks in lakepact/conformance/{folder}/iceberg_rest/v1_13_0/: "
        "write suite.py and checks there, as docs/upgrade-a-contract.md says\n"
    )
    assert "Traceback" not in output


def test_explain_passes_over_a_version_without_checks(contracts: Path) -> None:
    code, output = ran(contracts, "explain", "IRC-NONE-001")

    assert (code, output.partition(";")[0]) == (2, "there is no requirement IRC-NONE-001")
