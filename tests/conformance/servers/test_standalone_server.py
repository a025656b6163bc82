"""A standalone reference server with default options fails nothing.

The embedded server authenticates the suite; this server is open to all callers, and the checks run
under every version.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from faulty_servers import checked
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.shared_files import SharedFiles
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.running import runner
from lakepact.conformance.running import suite as suites
from lakepact.reference_server.running import running

#: The areas to check by version: cached answers, and features that the version added.
AREAS = {
    "1.10.0": {"tables", "etags", "configuration", "views"},
    "1.11.0": {"etags", "commit-etags", "idempotency", "warehouses"},
}
SERVED = {"readable-files": True, "location-policy": True}
REQUESTS = int(
    os.environ.get("LAKEPACT_FUZZ_REQUESTS", "100000")
)  #: requests of all nightly fuzzing together
SEEDS = 10


def failures(run: runner.Run) -> list[tuple[str, str, str]]:
    return [
        (v.requirement, v.outcome, v.actual)
        for v in run.verdicts
        if v.outcome not in (Outcome.PASS, Outcome.NOT_OFFERED)
    ]


def run_of(
    url: str, folder: Path, *, version: str, only: tuple[str, ...] = (), **random: int
) -> runner.Run:
    target = Target(url, features=SERVED, shared_files=SharedFiles(folder))
    return checked(target, *only, version=version, **random)


def scenarios(version: str) -> tuple[str, ...]:
    """Return the requirements of some areas that only checks judge. Invariants would need the
    traffic of all checks.
    """
    suite = suites.load("iceberg_rest", version)
    requirements = suite.contract.requirements
    return tuple(
        r
        for r, by in suite.judges().items()
        if requirements[r].area in AREAS[version] and suite.checks.keys() >= set(by)
    )


@pytest.mark.parametrize("version", AREAS)
def test_open_server_fails_nothing(version: str, tmp_path: Path) -> None:
    with running(
        contract="iceberg_rest", contract_version=version, warehouse=str(tmp_path)
    ) as server:
        run = run_of(server.url, tmp_path, version=version, only=scenarios(version))

    assert failures(run) == []
    assert sum(v.outcome is Outcome.PASS for v in run.verdicts) > 20


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("store", ["memory", "file"])
def test_long_fuzzing_finds_nothing(seed: int, store: str, tmp_path: Path) -> None:
    with running(contract="iceberg_rest", warehouse=str(tmp_path), store=store) as server:
        run = run_of(
            server.url,
            tmp_path,
            version="1.10.0",
            only=("IRC-CFG-001",),
            fuzz=REQUESTS // (2 * SEEDS),
            seed=seed,
        )

    assert failures(run) == []
