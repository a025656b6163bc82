"""Fuzzing a sharing server: a correct server passes, and a fault is shown in one request."""

from __future__ import annotations

import pytest

from faulty import mutants
from faulty_servers import checked
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.running import runner
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.embedded_target import EmbeddedTarget
from lakepact.reference_server.running import running

SUITE = suites.load("delta_sharing")
FEW = 100  #: requests that are enough for most faults


@pytest.fixture(scope="module")
def embedding(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedTarget:
    laid_out: EmbeddedTarget = SUITE.launch_settings(tmp_path_factory.mktemp("pack"))
    return laid_out


def fuzz(embedding: EmbeddedTarget, *faults: str, seed: int = 1) -> runner.Run:
    with running(
        contract=SUITE.contract.name, faults=mutants(faults, "delta_sharing"), **embedding.settings
    ) as server:
        return checked(embedding.target(server.url), "DS-GSH-03", of=SUITE, fuzz=FEW, seed=seed)


def failures(run: runner.Run) -> set[str]:
    return {
        v.requirement for v in run.verdicts if v.outcome not in (Outcome.PASS, Outcome.NOT_OFFERED)
    }


def test_correct_server_fails_nothing(embedding: EmbeddedTarget) -> None:
    assert failures(fuzz(embedding)) == set()


@pytest.mark.parametrize(
    ("fault", "requirement"),
    [
        ("malformed-is-a-failure", "DS-GEN-15"),
        ("errors-without-code", "DS-GEN-07"),
        ("pages-one-too-large", "DS-PAG-02"),
        ("version-is-no-number", "DS-VER-01"),
        ("listAllTables.not-json", "DS-PAG-11"),
    ],
)
def test_fault_is_found_and_shown_in_one_request(
    embedding: EmbeddedTarget, fault: str, requirement: str
) -> None:
    findings = [
        v
        for v in fuzz(embedding, fault).verdicts
        if v.check == "fuzz" and v.requirement == requirement and v.outcome is Outcome.FAIL
    ]

    assert findings
    assert {v.remark for v in findings} == {"seed 1, shrunk to 1 request"}


def test_fuzzing_sends_every_operation(embedding: EmbeddedTarget) -> None:
    operations = {
        e.operation
        for e in fuzz(embedding, seed=3).wire.exchanges.values()
        if e.check == "fuzz" and e.status < 500
    }

    assert operations == set(SUITE.contract.operations)
