"""Each example runs as its readme says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from faulty import mutants
from lakepact.reference_server import running

pytestmark = pytest.mark.examples

EXAMPLES = Path(__file__).parents[2] / "examples"
PYTEST = (
    sys.executable,
    "-m",
    "pytest",
    "-q",
    "-p",
    "no:cacheprovider",
    "--rootdir=.",
    "-c",
    os.devnull,
)
COMMANDS = {
    "pytest-pyiceberg": PYTEST,
    "duckdb": PYTEST,
    "polars-share": PYTEST,
    "nightly-job": PYTEST,
    "migration": PYTEST,
    "transaction": PYTEST,
    "async-service": PYTEST,
    "views": PYTEST,
    "vended-keys": PYTEST,
    "shared-data": PYTEST,
    "watsonx": PYTEST,
    "spark": PYTEST,
    "go": ("go", "test", "./..."),
    "node": ("node", "--test", "catalog.test.mjs"),
    "rust": ("bash", "-ec", "rustc --test catalog.rs && ./catalog"),
    "java": ("mvn", "-q", "-B", "-ntp", "test"),
}
#: Folders that tests/action and tests/conformance/clients run.
ELSEWHERE = {"ci", "clients", "fleet"}
TOOLS = {"go": "go", "node": "node", "rust": "rustc", "java": "mvn", "spark": "spark-submit"}


@pytest.mark.parametrize("example", COMMANDS)
def test_example_passes(example: str, tmp_path: Path) -> None:
    if shutil.which(TOOLS.get(example, sys.executable)) is None:
        pytest.skip(f"{TOOLS[example]} is not installed")
    folder = shutil.copytree(EXAMPLES / example, tmp_path / example)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    done = subprocess.run(
        COMMANDS[example],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_example_is_in_the_readme_and_runs() -> None:
    folders = {
        path.name for path in EXAMPLES.iterdir() if path.is_dir() and path.name != "__pycache__"
    }
    readme = (EXAMPLES / "README.md").read_text("utf-8")

    assert (folders - ELSEWHERE, [name for name in folders if f"]({name}/" not in readme]) == (
        COMMANDS.keys(),
        [],
    )


def test_compose_file_starts_services_of_the_dockerfile() -> None:
    services = yaml.safe_load((EXAMPLES / "compose.yaml").read_text("utf-8"))["services"]

    assert {services[name]["build"]["context"] for name in ("catalog", "check")} == {".."}


def test_server_file_of_compose_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LAKE_KEY_ID", "LAKE_SECRET"):
        monkeypatch.setenv(name, "lakepact-store")

    with running(config=EXAMPLES / "compose.toml") as server:
        assert server.url.startswith("http://127.0.0.1:")


def test_fleet_names_a_requirement_that_broke_since_the_night_before(tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLES / "fleet", tmp_path / "fleet")
    (folder / "targets").mkdir()
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "SEEDS": "0:1",
    }
    nights = []
    for version, faults in (("1.0", ()), ("1.1", ("creation-is-201",))):
        with running(warehouse="memory:", faults=mutants(faults)) as server:
            (folder / "targets" / "theirs.toml").write_text(
                f'url = "{server.url}"\nversion = "{version}"\n'
            )
            command = ["bash", "nightly.sh", "."]
            nights.append(
                subprocess.run(
                    command,
                    cwd=folder,
                    env=environment,
                    capture_output=True,
                    text=True,
                    timeout=600,
                    check=False,
                )
            )

    assert [night.returncode for night in nights] == [0, 1], nights[1].stdout + nights[1].stderr
    assert "theirs 1.0 → 1.1" in nights[1].stdout
    assert "theirs 1.0 → 1.1" in (folder / "trends.html").read_text()
