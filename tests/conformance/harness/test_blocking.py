"""A blocked verdict names the failed requirement that explains it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faulty_servers import checked
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.reference_server import running

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lakepact.conformance.running.runner import Result


def results(only: Sequence[str], *faults: str) -> Mapping[str, Result]:
    """Return the results of some requirements on a server with faults."""
    with running(contract="iceberg_rest", faults=faults) as server:
        return checked(server.url, *only).results()


def test_failed_step_names_the_requirement_that_fails_alike() -> None:
    found = results(["IRC-NS-CREATE-001", "IRC-NS-DROP-001"], "createNamespace.answers-500")

    assert found["IRC-NS-CREATE-001"].outcome is Outcome.FAIL
    assert found["IRC-NS-DROP-001"].outcome is Outcome.BLOCKED
    assert found["IRC-NS-DROP-001"].verdicts[0].actual.startswith("blocked by IRC-NS-CREATE-001: POST createNamespace returned status 500")


def test_failed_step_without_failed_requirement_names_none() -> None:
    found = results(["IRC-NS-DROP-001"], "createNamespace.answers-500")

    assert found["IRC-NS-DROP-001"].verdicts[0].actual.startswith("POST createNamespace returned status 500")


def test_undocumented_success_blocks_nothing() -> None:
    found = results(["IRC-NS-CREATE-001", "IRC-NS-DROP-001"], "createNamespace.answers-201")

    assert {name: result.outcome for name, result in found.items()} == {"IRC-NS-CREATE-001": Outcome.FAIL, "IRC-NS-DROP-001": Outcome.PASS}
