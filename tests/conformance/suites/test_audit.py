"""Each requirement is checked or excused, and each judged requirement has a fault that breaks
it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import Contract, contracts
from lakepact.reference_server.faults import Fault
from mutants import faults

SPECS = Path(__file__).parents[3] / "specs"


VERSIONS = [(name, version) for name in contracts() for version in Contract(name).versions]


@pytest.fixture(params=VERSIONS, ids=" ".join)
def suite(request: pytest.FixtureRequest) -> suites.Suite:
    suite: suites.Suite = suites.load(*request.param)
    return suite


def faults_of(suite: suites.Suite) -> dict[str, Fault]:
    return faults(suite.contract.name, suite.contract.version)


def test_every_requirement_is_judged_or_excused(suite: suites.Suite) -> None:
    checks = suite.judges()
    missing = [
        r.id
        for r in suite.contract.requirements.values()
        if r.side == "server" and r.id not in checks and not r.uncovered
    ]

    assert missing == []


def test_every_judged_requirement_is_broken_by_a_fault(suite: suites.Suite) -> None:
    targets = {requirement for fault in faults_of(suite).values() for requirement in fault.breaks}
    requirements = suite.contract.requirements
    breakable = {
        r
        for r in suite.judges()
        if requirements[r].level != "MAY" and not {r, *requirements[r].features} & suite.gaps.keys()
    }

    assert sorted(breakable - targets) == []


def test_unserved_entries_name_judged_requirements_or_features(suite: suites.Suite) -> None:
    assert sorted(suite.gaps.keys() - suite.judges().keys() - suite.contract.features.keys()) == []


def test_every_fault_breaks_judged_requirements(suite: suites.Suite) -> None:
    checks = suite.judges()
    stray = {
        name: fault.breaks
        for name, fault in faults_of(suite).items()
        if not fault.breaks or set(fault.breaks) - set(checks)
    }

    assert stray == {}


def test_checks_and_invariants_have_distinct_names(suite: suites.Suite) -> None:
    assert set(suite.checks) & set(suite.invariants) == set()


def test_invariants_name_existing_checks(suite: suites.Suite) -> None:
    assert {name for invariant in suite.invariants.values() for name in invariant.traffic} <= set(
        suite.checks
    )


def test_judged_requirement_is_not_excused(suite: suites.Suite) -> None:
    file = SPECS / suite.contract.name / suite.contract.version / "uncovered.yaml"
    entries = yaml.safe_load(file.read_text(encoding="utf-8"))["uncovered"] if file.exists() else []

    assert sorted({entry["requirement"] for entry in entries} & set(suite.judges())) == []
