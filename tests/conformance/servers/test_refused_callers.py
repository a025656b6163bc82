"""Catalogs that refuse the caller, from the start or from some moment on, or limit the rate of
requests: no verdict comes from that.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import httpx
import orjson
import pytest
from click.testing import CliRunner

from faulty import unnamed
from faulty_servers import checked
from lakepact.conformance.commands.check import check
from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.http.caller import Caller
from lakepact.conformance.report.run_lines import lines_of
from lakepact.conformance.running import runner
from lakepact.generated.contract import Contract, OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import running
from lakepact.reference_server.faults import Install, all_of, on_answer, on_call, on_reply
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Handler, Scope

TOKEN = "a-token-of-this-test"
AREA = "IRC-NS-CREATE-*"
SERVED = 70  #: requests that are served before the refusals begin
REFUSING = tuple(Contract("iceberg_rest").operations.keys() - {op.get_config, op.get_token})
KINDS = {401: "NotAuthorizedException", 403: "ForbiddenException"}
ALWAYS = itertools.repeat(True)


def refuses(status: int, turns_with_reply: Iterable[bool]) -> Install:
    """Refuse requests without the token, and those with it for which `turns_with_reply` has no
    true value; the configuration is always served.
    """
    turns = iter(turns_with_reply)
    error = orjson.dumps({"error": {"message": "refused", "type": KINDS[status], "code": status}})

    def refuse(reply: Reply, scope: Scope) -> Reply:
        if dict(scope["headers"]).get(b"authorization") == f"Bearer {TOKEN}".encode() and next(
            turns, False
        ):
            return reply
        return replace(
            reply, status=status, body=b"" if scope["method"] == "HEAD" else error, chunks=None
        )

    return on_reply(REFUSING, refuse)


def limits(turns_with_reply: Iterable[bool], **headers: str) -> Install:
    """Return 429 to each request for which `turns_with_reply` has no true value."""
    turns = iter(turns_with_reply)

    def refuse(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if next(turns, False):
            return handler(**arguments)
        raise Problem(
            429,
            "SlowDownException",
            "slow down",
            headers=tuple((n.replace("_", "-"), v) for n, v in headers.items()),
        )

    return on_call(REFUSING, refuse)


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("token", ["", "wrong"])
def test_refused_caller_gets_exit_code_3_and_no_finding(status: int, token: str) -> None:
    options = ["--token-env", "LAKEPACT_TEST_TOKEN"] if token else []
    with running(
        contract="iceberg_rest", warehouse="memory:", faults=[unnamed(refuses(status, ALWAYS))]
    ) as server:
        result = CliRunner().invoke(
            check, [server.url, "--only", AREA, *options], env={"LAKEPACT_TEST_TOKEN": token}
        )

    assert result.exit_code == 3
    assert "the target refuses this caller: " in result.output
    assert "--token-env" in result.output
    assert "FAIL" not in result.output


def run_of(*faults: Install, only: str = AREA, workers: int = 1) -> runner.Run:
    """Return the run of an area, with the token, against the reference server with faults."""
    with running(
        contract="iceberg_rest", warehouse="memory:", faults=[unnamed(all_of(*faults))]
    ) as server:
        return checked(
            Target(server.url, headers={"Authorization": f"Bearer {TOKEN}"}),
            only,
            max_workers=workers,
        )


def outcomes(run: runner.Run) -> set[Outcome]:
    return {result.outcome for result in run.results().values()}


def exit_code(run: runner.Run) -> int:
    code: int = list(lines_of(run, stopped=run.stopped))[-1]["exit_code"]
    return code


def test_valid_token_is_served() -> None:
    run = run_of(refuses(401, ALWAYS))

    assert (run.stopped, outcomes(run) & {Outcome.FAIL, Outcome.BLOCKED}) == ("", set())


@pytest.mark.parametrize("status", [401, 403])
def test_token_that_expires_blocks_what_was_not_judged_before(status: int) -> None:
    run = run_of(refuses(status, itertools.repeat(True, SERVED)))

    assert outcomes(run) - {Outcome.NOT_OFFERED} == {Outcome.PASS, Outcome.BLOCKED}
    assert re.match(
        r"since \S+, \d+ s after the start, the target refuses this caller: .* --token-env ",
        run.stopped,
    )
    assert exit_code(run) == 3


def test_failure_before_the_end_of_a_token_is_shown() -> None:
    extra = on_answer(op.create_namespace, lambda document: {**document, "namespace": []})
    run = run_of(extra, refuses(401, itertools.repeat(True, SERVED)))

    assert {Outcome.FAIL, Outcome.BLOCKED} <= outcomes(run)
    assert exit_code(run) == 3


@pytest.mark.parametrize(
    ("operation", "right"),
    [
        (op.create_namespace, "create namespaces"),
        (op.create_table, "create tables"),
        (op.update_table, "commit to tables"),
        (op.drop_table, "drop tables"),
        (op.drop_namespace, "drop namespaces"),
    ],
)
def test_missing_right_is_named_before_the_first_check(operation: OperationId, right: str) -> None:
    forbidden = on_reply(operation, lambda reply, _: replace(reply, status=403))
    with running(
        contract="iceberg_rest", warehouse="memory:", faults=[unnamed(forbidden)]
    ) as server:
        result = CliRunner().invoke(check, [server.url, "--only", AREA])
        left = httpx.get(f"{server.url}/v1/namespaces").json()["namespaces"]

    assert result.exit_code == 3
    assert f"the caller may not {right}: " in " ".join(result.output.split())
    assert "returned status 403" in result.output
    assert left == []


def test_rights_are_not_needed_to_check_the_configuration() -> None:
    forbidden = on_reply(op.create_namespace, lambda reply, _: replace(reply, status=403))
    run = run_of(forbidden, only="IRC-CFG-001")

    assert outcomes(run) == {Outcome.PASS}


@pytest.mark.parametrize("turns_with_reply", [70, 90, 110, 130])
def test_answers_beside_the_first_refusal_are_taken_back(turns_with_reply: int) -> None:
    run = run_of(refuses(403, itertools.repeat(True, turns_with_reply)), workers=4)

    assert run.stopped
    assert outcomes(run) <= {Outcome.PASS, Outcome.BLOCKED, Outcome.NOT_OFFERED}


def test_rate_limit_that_ends_within_the_patience_fails_nothing() -> None:
    # Four refusals in a row would end the patience: requests of checks that send several at a time
    # take turns at random.
    run = run_of(
        limits(itertools.cycle((*[True] * 9, False)), retry_after="0"), only="IRC-NS-CREATE-00*"
    )

    assert (run.stopped, outcomes(run) & {Outcome.FAIL, Outcome.BLOCKED}) == ("", set())


def test_rate_limit_that_does_not_end_is_incomplete() -> None:
    run = run_of(limits(itertools.repeat(True, SERVED), retry_after="0"))

    assert outcomes(run) - {Outcome.NOT_OFFERED} == {Outcome.PASS, Outcome.BLOCKED}
    assert re.search(
        "limits the rate of requests: .* returned 429 .*--workers 1.*--max-wait", run.stopped
    )
    assert exit_code(run) == 3


def test_retry_after_beyond_the_longest_wait_is_not_obeyed() -> None:
    start = time.monotonic()
    run = run_of(limits(itertools.repeat(True, SERVED), retry_after="3600"))

    assert "limits the rate" in run.stopped
    assert time.monotonic() - start < 30


def exchange(status: int, *, number: int, start: float, seconds: float) -> Exchange:
    return Exchange(
        number,
        op.load_table,
        "check",
        "GET",
        "http://catalog/v1/namespaces/n/tables/t",
        (),
        b"",
        status,
        httpx.Headers(),
        b"",
        seconds,
        sent_at=start,
    )


@pytest.mark.parametrize(("start", "refusals"), [(1.5, {1}), (2.5, set())])
def test_success_ends_the_refusals_that_were_answered_before_it_was_sent(
    start: float, refusals: set[int]
) -> None:
    caller = Caller({})
    caller.note(exchange(403, number=1, start=1.0, seconds=1.0))
    caller.note(exchange(200, number=2, start=start, seconds=0.1))

    assert caller.refused.keys() == refusals
