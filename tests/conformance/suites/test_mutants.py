"""Mutation tests of the suite: selection of mutants, and their report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from lakepact.conformance.running import suite as suites
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest import identifiers
from mutants.hunting import Hunt, main, unproven

TESTS = Path(__file__).parents[2]


def hunted(*options: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m mutants`."""
    env = {**os.environ, "PYTHONPATH": str(TESTS)}
    return subprocess.run([sys.executable, "-m", "mutants", *options], capture_output=True, text=True, check=False, env=env)


def test_selected_mutant_is_run_in_the_version_that_has_it() -> None:
    said = hunted("--jobs", "1", "--only", "IRC-RBY-*")

    assert said.stdout == "iceberg_rest 1.11.0: 1 of 1 mutants killed; 0 judged requirements without a mutant\n"
    assert said.returncode == 0


def test_requirement_broken_without_a_fault_fails_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identifiers, "no_such_namespace", lambda _: Problem(410, "Gone", "no such namespace"))
    said = CliRunner().invoke(main, ("--contract-version", "1.10.0", "--jobs", "1", "--only", "IRC-NS-GET-005"))

    assert said.exit_code == 1
    assert "unkept   IRC-NS-GET-005: the reference server without faults breaks it (" in said.output
    assert "1 of 1 mutants killed" in said.output


@pytest.mark.nightly
def test_versions_of_sharing_are_hunted_one_after_the_other() -> None:
    options = ("--contract", "delta_sharing", "--jobs", "1", "--only", "page-tokens-are-of-a-version", "--only", "DS-FIH-02")
    said = hunted(*options)

    assert [line.partition(" killed")[0] for line in said.stdout.splitlines()] == [
        "delta_sharing 2026-02: 1 of 1 mutants",
        "delta_sharing 2026-08: 1 of 1 mutants",
    ]


def test_requirement_without_a_killed_mutant_is_unproven() -> None:
    broken, kept = "IRC-NS-GET-005", "IRC-NS-DROP-003"
    found = [Hunt("a-fault", (broken,), (broken,)), Hunt("one-that-lives", (kept,), ())]

    assert list(unproven(suites.load("iceberg_rest"), found, {broken, kept})) == [kept]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--only", "no-such-fault"), "no fault, and no requirement that one breaks, matches no-such-fault"),
        (("--contract", "watsonx_data", "--contract-version", "1.11.0"), "there is no version 1.11.0; there are watsonx_data 2026"),
    ],
)
def test_unknown_mutant_or_version_exits_with_2(arguments: tuple[str, ...], complaint: str) -> None:
    said = CliRunner().invoke(main, arguments)

    assert said.exit_code == 2
    assert complaint in " ".join(said.stderr.replace("│", " ").split())
