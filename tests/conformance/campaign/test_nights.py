"""A night is red if a fault was added to the server since the night that it is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from campaigns import Here, ran
from conformance.campaign.test_finding_faults import FAULTS
from faulty import mutants
from lakepact.conformance.campaign import gate, plans, run_verdicts
from lakepact.reference_server import running

#: What the plan of the day is about; that of the night is about everything.
ONLY = ("renameTable",)
EVENTS = (gate.REGRESSION, gate.DIVERGENCE)


@dataclass(frozen=True)
class Nights:
    plan: Path
    folder: Path

    def run(self, name: str, faults: Sequence[str] = (), base: Path | None = None) -> Any:
        """Return the tables of a run against a server with faults."""
        run = self.folder / name
        with running(warehouse="memory:", faults=mutants(faults)) as server:
            ran(self.plan, run, Here(), f"theirs={server.url}")
        run_verdicts.judge(run, Here())
        return run_verdicts.analyse(run, Here(), base)

    def findings(self, name: str, faults: Sequence[str]) -> list[str]:
        """Return what a night finds that is compared with one of a sound server."""
        base = self.folder / "base"
        return gate.new_results(self.run(name, faults, base), EVENTS, base=base)


def nights_of(folder: Path, only: Sequence[str]) -> Nights:
    """Return nights after one of a sound server."""
    modes = ("effect", "reading", "check")
    plans.plan("iceberg_rest", folder / "plan", modes=modes, only=only)
    nights = Nights(folder / "plan", folder)
    nights.run("base")
    return nights


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Nights:
    return nights_of(tmp_path_factory.mktemp("nights"), ONLY)


@pytest.fixture(scope="module")
def whole_nights(tmp_path_factory: pytest.TempPathFactory) -> Nights:
    return nights_of(tmp_path_factory.mktemp("nights"), ["*"])


@pytest.mark.parametrize("fault", ["renameTable.not-persisted", "createTable.answers-500"])
def test_night_with_a_new_fault_has_findings(fault: str, nights: Nights) -> None:
    assert nights.findings(fault, [fault])


@pytest.mark.nightly
@pytest.mark.parametrize("fault", FAULTS)
def test_night_with_any_new_fault_has_findings(fault: str, whole_nights: Nights) -> None:
    assert whole_nights.findings(fault, [fault])


def test_night_without_a_new_fault_has_no_findings(nights: Nights) -> None:
    assert nights.findings("sound", []) == []
