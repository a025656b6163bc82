"""A blocked verdict points to a failure with the same answer, and to no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from faulty_servers import checked, new_suite
from lakepact.conformance.evidence.outcome import Blocked, Outcome
from lakepact.conformance.judging import expect
from lakepact.conformance.judging.lab import Lab
from lakepact.conformance.running.runner import Result
from lakepact.reference_server import running
from miniatures import answer, miniature


def results(only: Sequence[str], *faults: str) -> Mapping[str, Result]:
    """Return the results of some requirements on a server with faults."""
    with running(contract="iceberg_rest", faults=faults) as server:
        return checked(server.url, *only).results()


def test_failed_step_points_to_a_failure_with_the_same_answer() -> None:
    by_requirement = results(
        ["IRC-NS-CREATE-001", "IRC-NS-DROP-001"], "createNamespace.answers-500"
    )

    assert by_requirement["IRC-NS-CREATE-001"].outcome is Outcome.FAIL
    assert by_requirement["IRC-NS-DROP-001"].outcome is Outcome.BLOCKED
    assert (
        by_requirement["IRC-NS-DROP-001"]
        .verdicts[0]
        .actual.startswith("POST createNamespace returned status 500")
    )
    assert (
        by_requirement["IRC-NS-DROP-001"].verdicts[0].actual.endswith("(as in IRC-NS-CREATE-001)")
    )


def test_failed_step_without_failed_requirement_names_none() -> None:
    by_requirement = results(["IRC-NS-DROP-001"], "createNamespace.answers-500")

    assert (
        by_requirement["IRC-NS-DROP-001"]
        .verdicts[0]
        .actual.startswith("POST createNamespace returned status 500")
    )
    assert "(as in" not in by_requirement["IRC-NS-DROP-001"].verdicts[0].actual


def test_other_failure_of_the_check_explains_no_blocked_requirement() -> None:
    suite = new_suite()

    @suite.check("IRC-CFG-001", "IRC-CFG-002")
    def fails_and_then_stops(lab: Lab) -> None:
        """The first requirement fails, and a step without a requirement ends the check."""
        with lab.judge("IRC-CFG-001"):
            expect.status(lab.send("getConfig"), 418)
        raise Blocked("no table")

    with miniature(lambda *_: answer(200, {})) as url:
        result = checked(url, of=suite).results()["IRC-CFG-002"]

    assert (result.outcome, result.verdicts[0].actual) == (Outcome.BLOCKED, "no table")


def test_undocumented_success_blocks_nothing() -> None:
    by_requirement = results(
        ["IRC-NS-CREATE-001", "IRC-NS-DROP-001"], "createNamespace.answers-201"
    )

    assert {name: result.outcome for name, result in by_requirement.items()} == {
        "IRC-NS-CREATE-001": Outcome.FAIL,
        "IRC-NS-DROP-001": Outcome.PASS,
    }
