"""The steps of action.yml, run as scripts against a server with a fault and without."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from lakepact.conformance.report import lines
from lakepact.reference_server import running

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
ONLY = "--only 'IRC-NS-DROP-*'"
FAULT = "--fault dropNamespace.answers-200"
EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")


@dataclass
class Job:
    """A run of the action's scripts in a folder."""

    folder: Path
    failed: int = 0  #: exit code of the first step that failed
    outputs: dict[str, str] = field(default_factory=dict)
    printed: str = ""

    def file(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8")


def run(folder: Path, **inputs: str) -> Job:
    """Run all scripts but the installation, as GitHub runs them: after a failure only those that
    always run.
    """
    folder.mkdir(parents=True)
    job = Job(folder)
    values = {f"inputs.{name}": str(value["default"]) for name, value in ACTION["inputs"].items()}
    values |= {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
    for step in ACTION["runs"]["steps"]:
        if (
            "run" not in step
            or step["name"] == "Install"
            or (job.failed and step.get("if") != "always()")
        ):
            continue
        given = values | {f"steps.{name}": value for name, value in job.outputs.items()}
        variables = {name: filled(text, given) for name, text in step.get("env", {}).items()}
        done = script(step, folder, variables)
        job.failed = job.failed or done.returncode
        job.printed += done.stdout + done.stderr
        for line in (folder / "output").read_text("utf-8").splitlines():
            name, _, value = line.partition("=")
            job.outputs[f"{step['id']}.outputs.{name}"] = value
    return job


def filled(text: str, values: dict[str, str]) -> str:
    """Replace the expressions of a text."""
    return EXPRESSION.sub(lambda found: values[found[1]], text)


def script(
    step: dict[str, Any], folder: Path, variables: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run the script of one step with the files that GitHub gives it."""
    (folder / "output").write_text("", "utf-8")
    files = {
        "RUNNER_TEMP": str(folder),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    environment = {**os.environ, **files, **variables, "PATH": path}
    # A server in the background keeps standard streams open: they go to files.
    with (folder / "out.txt").open("w") as out:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdout=out, stderr=out, check=False, timeout=300
        )
    return subprocess.CompletedProcess(
        command, done.returncode, (folder / "out.txt").read_text("utf-8"), ""
    )


def started(folder: Path, port: int, fault: str = "", known: Path | None = None) -> Job:
    """Run the action with a command that starts the reference server."""
    start = f"{sys.executable} -m lakepact.reference_server --port {port} {fault}"
    known_failures = {"known_failures": str(known)} if known else {}
    return run(
        folder, start=start, url=f"http://127.0.0.1:{port}", arguments=ONLY, **known_failures
    )


@pytest.fixture
def port() -> int:
    """Return a port that is free now."""
    with running(warehouse="memory:") as server:
        return int(server.url.rpartition(":")[2])


def test_action_fails_without_baseline_and_after_repair(tmp_path: Path, port: int) -> None:
    red = started(tmp_path / "red", port, FAULT, tmp_path / "not-yet.txt")
    baseline = tmp_path / "red" / "lakepact-reports" / "baseline.txt"

    assert (red.failed, red.outputs["check.outputs.exit-code"]) == (1, "1")
    assert (
        "there is no file" in red.printed,
        "IRC-NS-DROP-005" in baseline.read_text("utf-8"),
    ) == (True, True)
    assert (
        "not conformant" in red.file("summary.md"),
        "IRC-NS-DROP-005" in red.file("summary.md"),
    ) == (True, True)
    assert "failing" in red.file("lakepact-reports/badge.svg")
    assert re.search(
        r"^::warning title=lakepact cause 1::\S.*dropNamespace", red.printed, re.MULTILINE
    ), red.printed
    assert "| namespaces |" in red.file(red.outputs["reports.outputs.comment"])

    green = started(tmp_path / "green", port, FAULT, baseline)
    assert (green.failed, "known failures" in green.file("lakepact-reports/badge.svg")) == (0, True)

    repaired = started(tmp_path / "repaired", port, "", baseline)
    footer = lines.read(tmp_path / "repaired" / "lakepact-reports" / "report.jsonl")[-1]
    assert (repaired.failed, footer["counts"]["fail"], footer["counts"]["unexpected-pass"] > 0) == (
        1,
        0,
        True,
    )


@pytest.mark.parametrize("arguments", ["--only 'IRC-NS-*", '--strict "--only IRC-CFG-001'])
def test_arguments_with_an_open_quote_end_the_job(tmp_path: Path, arguments: str) -> None:
    job = run(tmp_path / "job", url="http://127.0.0.1:1", arguments=arguments)

    assert job.failed == 2
    assert "::error::the input arguments cannot be split into words" in job.printed


def test_server_that_does_not_start_is_red_with_its_log(tmp_path: Path) -> None:
    job = run(tmp_path / "job", start="echo no licence; exit 1", url="http://127.0.0.1:1", wait="1")

    assert (
        job.failed,
        "did not answer within 1 seconds" in job.printed,
        "no licence" in job.printed,
    ) == (3, True, True)


def test_action_without_an_address_is_red(tmp_path: Path) -> None:
    job = run(tmp_path / "job")

    assert (job.failed, "lakepact needs an address" in job.printed) == (2, True)


def test_access_inputs_become_options_of_the_check(tmp_path: Path) -> None:
    job = run(tmp_path / "job", url="https://127.0.0.1:1", ca_file="no-such.pem")

    assert (job.failed, "no-such.pem" in job.printed) == (2, True), job.printed


WORKFLOWS = [
    ROOT / "action.yml",
    *ROOT.glob("examples/*/github.yml"),
    *ROOT.glob(".github/workflows/*.yml"),
]


def test_actions_of_others_are_pinned_by_commit() -> None:
    used = [
        action
        for file in WORKFLOWS
        for action in re.findall(r"uses: ((?!lakepact/)\S+)", file.read_text("utf-8"))
    ]

    assert used != []
    assert [action for action in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)] == []


def test_scripts_get_inputs_only_through_the_environment() -> None:
    assert [step["name"] for step in ACTION["runs"]["steps"] if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize(
    "example", sorted((ROOT / "examples" / "ci").glob("*.yml")), ids=lambda path: path.stem
)
def test_example_workflow_is_yaml_and_uses_known_inputs(example: Path) -> None:
    document = yaml.safe_load(example.read_text("utf-8"))
    steps = [
        step
        for job in document.get("jobs", {}).values()
        for step in job["steps"]
        if "lakepact/" in step.get("uses", "")
    ]

    assert all(set(step["with"]) <= set(ACTION["inputs"]) for step in steps)
