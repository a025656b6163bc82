"""A reference server as it starts by itself, open to all and answering short where it can, keeps its contract too.

At home the suite is let in by name, as a caller with rights; what is asked of everybody is asked here, under every version.
"""

from __future__ import annotations

import os

import pytest

from lakepact.conformance import plan, runner
from lakepact.conformance import suite as suites
from lakepact.conformance.outcome import Outcome
from lakepact.conformance.target import Target
from lakepact.reference_server.running import running

#: By version, areas of what is answered from bytes that are kept, and of what came with it.
AREAS = {"1.10.0": {"tables", "etags", "configuration", "views"}, "1.11.0": {"etags", "commit-etags", "idempotency", "warehouses"}}
SERVED = {"readable-files": True, "location-policy": True}
REQUESTS = int(os.environ.get("LAKEPACT_FUZZ_REQUESTS", "100000"))  #: of all nightly fuzzing together
SEEDS = 10


def broken(run: runner.Run) -> list[tuple[str, str, str]]:
    return [(v.requirement, v.outcome, v.actual) for v in run.verdicts if v.outcome not in (Outcome.PASS, Outcome.NOT_OFFERED)]


def judged(url: str, *, version: str, only: tuple[str, ...] = (), fuzz: int = 0, seed: int = 0) -> runner.Run:
    planned = plan.plan(suites.load("iceberg_rest", version), only=only)
    run = runner.Run(planned, Target(url, features=SERVED), fuzz=fuzz, seed=seed)
    for _ in run.events():
        pass
    return run


def scenarios(version: str) -> tuple[str, ...]:
    """Return the requirements of some areas that scenarios judge: invariants would look at the traffic of all."""
    suite = suites.load("iceberg_rest", version)
    known = suite.contract.requirements
    return tuple(r for r, by in suite.judged().items() if known[r].area in AREAS[version] and suite.checks.keys() >= set(by))


@pytest.mark.parametrize("version", AREAS)
def test_a_server_that_is_open_to_all_keeps_its_contract(version: str) -> None:
    with running(contract="iceberg_rest", contract_version=version) as server:
        run = judged(server.url, version=version, only=scenarios(version))

    assert broken(run) == []
    assert sum(v.outcome is Outcome.PASS for v in run.verdicts) > 20


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("store", ["memory", "file"])
def test_long_fuzzing_finds_nothing(seed: int, store: str, tmp_path: object) -> None:
    with running(contract="iceberg_rest", warehouse=str(tmp_path), store=store) as server:
        run = judged(server.url, version="1.10.0", only=("IRC-CFG-001",), fuzz=REQUESTS // (2 * SEEDS), seed=seed)

    assert broken(run) == []
