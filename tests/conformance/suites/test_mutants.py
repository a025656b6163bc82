"""Mutation tests of the suite: selection of mutants, and their report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from lakepact.conformance.evidence.differences import Difference, Kind
from lakepact.conformance.evidence.outcome import Failure, Outcome, Verdict
from lakepact.conformance.running import suite as suites
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import on_answer
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest import identifiers
from mutants import fault_named, faults_of
from mutants.hunting import Hunt, hunt, main, unproven
from mutants.placing import misplaced, watched

TESTS = Path(__file__).parents[2]
#: Faults in different areas that change a member or a header of answers; `nox -s mutants` compares
#: all.
SAMPLE = (
    *(
        "types-are-null",
        "refs-are-an-array",
        "loads-without-properties",
        "missing-views-are-called-tables",
        "locations-are-null",
    ),
    *(
        "keys-without-metadata",
        "snapshots-without-manifest-list",
        "missing-namespace-is-a-missing-table",
    ),
)


def hunt_by_command(*options: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m mutants`."""
    env = {**os.environ, "PYTHONPATH": str(TESTS)}
    return subprocess.run(
        [sys.executable, "-m", "mutants", *options],
        capture_output=True,
        text=True,
        check=False,
        env=env,
    )


def test_selected_mutant_is_run_in_the_version_that_has_it() -> None:
    result = hunt_by_command("--jobs", "1", "--only", "IRC-RBY-*")

    assert (
        result.stdout
        == "iceberg_rest 1.11.0: 1 of 1 mutants killed, 0 with a place to compare; 0 judged requirements without a mutant\n"
    )
    assert result.returncode == 0


@pytest.mark.parametrize("name", SAMPLE)
def test_finding_lies_where_the_fault_shows(name: str, tmp_path: Path) -> None:
    fault = fault_named(name, "iceberg_rest")

    result = hunt("iceberg_rest", name, fault.breaks, str(tmp_path))

    assert (result.is_placed, result.misplaced) == (True, ())


def verdicts_at(at: str) -> list[Verdict]:
    failure = Failure("a", "b", difference=Difference(at, Kind.VALUE))
    return [Verdict.of_failures("R", Outcome.FAIL, "c", failures=(failure,))]


@pytest.mark.parametrize(
    ("at", "places", "expected"),
    [
        ("/metadata/refs/main", {"/metadata/refs"}, (True, True)),
        ("/metadata", {"/metadata/refs"}, (True, True)),
        ("/schemas/3/fields", {"/schemas/*/fields/*/doc"}, (True, True)),
        ("/metadata/versions", {"/metadata/version-log/*/version-id"}, (True, True)),
        ("/metadata/refs", {"/metadata/refs-of", "/headers/etag"}, (True, False)),
        ("", {"/metadata"}, (False, True)),
        ("/metadata", set(), (False, True)),
    ],
)
def test_place_of_a_finding_is_compared_with_those_of_the_fault(
    at: str, places: set[str], expected: tuple[bool, bool]
) -> None:
    is_compared, elsewhere = misplaced(verdicts_at(at), places)

    assert (is_compared, not elsewhere) == expected


def test_declared_place_of_a_row_is_the_only_one() -> None:
    module = ModuleType("rows")
    module.FAULTS = {"a-fault IRC-TBL-LOAD-001 @/metadata/refs": on_answer(op.load_table, dict)}  # type: ignore[attr-defined]
    (fault,) = faults_of(module)
    places: set[str] = set()

    assert watched(fault, places) is fault
    assert (fault.breaks, places) == (("IRC-TBL-LOAD-001",), {"/metadata/refs"})


def test_requirement_broken_without_a_fault_fails_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        identifiers, "no_such_namespace", lambda _: Problem(410, "Gone", "no such namespace")
    )
    result = CliRunner().invoke(
        main, ("--contract-version", "1.10.0", "--jobs", "1", "--only", "IRC-NS-GET-005")
    )

    assert result.exit_code == 1
    assert (
        "unkept   IRC-NS-GET-005: the reference server without faults breaks it (" in result.output
    )
    assert "1 of 1 mutants killed" in result.output


@pytest.mark.nightly
def test_versions_of_sharing_are_hunted_one_after_the_other() -> None:
    options = (
        "--contract",
        "delta_sharing",
        "--jobs",
        "1",
        "--only",
        "page-tokens-are-of-a-version",
        "--only",
        "DS-FIH-02",
    )
    result = hunt_by_command(*options)

    assert [line.partition(" killed")[0] for line in result.stdout.splitlines()] == [
        "delta_sharing 2026-02: 1 of 1 mutants",
        "delta_sharing 2026-08: 1 of 1 mutants",
    ]


def test_requirement_without_a_killed_mutant_is_unproven() -> None:
    dead, living_one = "IRC-NS-GET-005", "IRC-NS-DROP-003"
    hunts = [Hunt("a-fault", (dead,), (dead,)), Hunt("one-that-lives", (living_one,), ())]

    assert list(unproven(suites.load("iceberg_rest"), hunts, {dead, living_one})) == [living_one]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ("--only", "no-such-fault"),
            "no fault, and no requirement that one breaks, matches no-such-fault",
        ),
        (
            ("--contract", "watsonx_data", "--contract-version", "1.11.0"),
            "there is no version 1.11.0; there are watsonx_data 2026",
        ),
    ],
)
def test_unknown_mutant_or_version_exits_with_2(arguments: tuple[str, ...], complaint: str) -> None:
    result = CliRunner().invoke(main, arguments)

    assert result.exit_code == 2
    assert complaint in " ".join(result.stderr.replace("│", " ").split())
