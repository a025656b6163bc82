"""A target that ends in the middle of a run."""

from __future__ import annotations

import contextlib

import httpx
import pytest

from lakepact.conformance.evidence.availability import Availability
from lakepact.conformance.evidence.outcome import Blocked, Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.running import plan, runner
from lakepact.conformance.running import suite as suites
from lakepact.reference_server.running import running


def test_target_that_ends_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash is not reported as a reason of its own for each requirement."""
    monkeypatch.setattr(runner, "RESTART_SECONDS", 0.3)
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(running(contract="iceberg_rest"))
        selection = plan.plan(suites.load("iceberg_rest"), only=["IRC-NS-*"])
        run = runner.Run(selection, Target(server.url), max_workers=1)
        events = run.events()
        next(events)
        stack.close()

        with pytest.raises(Blocked, match="the target accepts no connections any more"):
            list(events)
    assert {verdict.outcome for verdict in run.verdicts} & {Outcome.FAIL, Outcome.ERROR} == set()


def test_ended_target_is_explained_by_the_requests_that_it_cut_off() -> None:
    target = Availability()
    target.note_answer()
    target.note_failure(
        httpx.RemoteProtocolError("closed"),
        "POST /v1/namespaces/a/tables, sent by tables_create.names",
    )
    target.note_failure(httpx.ConnectError("refused"), "GET /v1/config, sent by health")

    assert target.end_reason == (
        "the target accepts no connections any more. Requests that it had just cut off without an answer: "
        "POST /v1/namespaces/a/tables, sent by tables_create.names"
    )


def test_target_that_answers_again_has_not_ended() -> None:
    target = Availability()
    target.note_answer()
    target.note_failure(httpx.ConnectError("refused"), "GET /v1/config, sent by health")
    target.note_answer()

    assert target.end_reason == ""
