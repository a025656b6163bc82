"""Fuzzing finds faults of a server, shows each in the fewest requests, and passes on correct
servers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from faulty import mutants
from faulty_servers import checked
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.fuzz.near import near_miss, places_in
from lakepact.conformance.fuzz.schemathesis_bodies import SchemathesisBodies
from lakepact.conformance.fuzz.shrinking import Shrinking
from lakepact.conformance.fuzz.steps import Learned, Step, fill
from lakepact.conformance.running import plan, runner
from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import Contract
from lakepact.reference_server.running import running
from miniatures import answer, miniature
from sampling import by_day

FEW = 100  #: requests that are enough for most faults

#: By fault: the requirement that fuzzing finds broken, and the fewest requests that show it.
FAULTS = {
    "camel-case": ("IRC-GEN-018", 3),
    "creation-is-201": ("IRC-GEN-009", 1),
    "drops-answer-200": ("IRC-GEN-006", 3),
    "client-faults-are-500": ("IRC-ERR-014", 1),
    "error-code-always-400": ("IRC-ERR-003", 1),
    "errors-without-envelope": ("IRC-ERR-001", 1),
    "body-behind-head": ("IRC-GEN-008", 1),
    "broken-json-is-empty": ("IRC-GEN-010", 2),
    "main-leaves-current-snapshot": ("IRC-META-008", 3),
    "metadata-without-uuid": ("IRC-META-001", 2),
}

#: Seeds other than 1: the first finding must not create a namespace, because a repetition would
#: find the namespace in its way.
SEEDS = {"broken-json-is-empty": 3}


def fuzz(url: str, *, budget: int = FEW, seed: int = 1) -> runner.Run:
    """Fuzz the server at `url` and return the run."""
    return checked(Target(url, timeout=2), "IRC-CFG-001", fuzz=budget, seed=seed, run_id="same")


def failures(run: runner.Run) -> list[tuple[str, str]]:
    return [
        (v.requirement, v.outcome)
        for v in run.verdicts
        if v.outcome not in (Outcome.PASS, Outcome.NOT_OFFERED)
    ]


def requests(run: runner.Run) -> list[tuple[str, str, bytes]]:
    return [
        (e.method, e.url.partition("/v1")[2], e.request_body)
        for e in run.wire.exchanges.values()
        if e.check == "fuzz"
    ]


def catalog(method: str, target: str, _: bytes) -> tuple[int, dict[str, str], bytes]:
    """Answer as a server that declares nothing and knows nothing."""
    if target.startswith("/v1/config"):
        return answer(200, {"defaults": {}, "overrides": {}})
    error = {"message": "none", "type": "NoSuchNamespaceException", "code": 404}
    return answer(404) if method == "HEAD" else answer(404, {"error": error})


# -- findings --------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", by_day(FAULTS, [*FAULTS][8:]))
def test_fault_is_found_and_shown_in_the_fewest_requests(fault: str) -> None:
    requirement, fewest = FAULTS[fault]
    with running(faults=mutants([fault]), warehouse="memory:") as server:
        run = fuzz(server.url, budget=200 if "snapshot" in fault else FEW, seed=SEEDS.get(fault, 1))
    lengths = [
        len(v.exchanges)
        for v in run.verdicts
        if (v.requirement, v.outcome) == (requirement, Outcome.FAIL)
    ]

    assert min(lengths, default=0) == fewest


def test_correct_server_fails_nothing() -> None:
    with running() as server:
        run = fuzz(server.url, budget=40, seed=2)

    assert failures(run) == []


def test_server_that_refuses_everything_fails_nothing() -> None:
    with miniature(catalog) as url:
        run = fuzz(url)

    assert failures(run) == []


def test_each_distinct_answer_is_a_finding() -> None:
    numbers = iter(range(10_000))

    def failing(method: str, target: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        if method != "GET" or target.startswith("/v1/config"):
            return catalog(method, target, body)
        kind = "IllegalStateException" if "?" in target else "NullPointerException"
        error = {"message": f"request {next(numbers)} failed", "type": kind, "code": 500}
        return answer(500, {"error": error})

    with miniature(failing) as url:
        run = fuzz(url)
    findings = Counter(
        (last.operation, last.error.type)
        for v in run.verdicts
        if (v.requirement, v.outcome) == ("IRC-ERR-025", Outcome.FAIL)
        for last in [run.wire.exchanges[v.exchanges[-1]]]
        if last.error
    )

    assert findings["listTables", "IllegalStateException"] == 1
    assert findings["listTables", "NullPointerException"] == 1
    assert set(findings.values()) == {1}


# -- broken connections and nonsense answers -------------------------------------------------------


def test_broken_connection_fails_with_the_request_that_broke_it() -> None:
    def fragile(method: str, target: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        if method == "DELETE":
            raise ConnectionAbortedError
        return catalog(method, target, body)

    with miniature(fragile) as url:
        run = fuzz(url)
    findings = [
        v for v in run.verdicts if v.requirement == "IRC-ERR-014" and v.outcome is Outcome.FAIL
    ]

    assert findings
    assert all([run.wire.exchanges[n].method for n in v.exchanges] == ["DELETE"] for v in findings)


def test_server_that_stops_answering_ends_the_run() -> None:
    answers = iter(range(80))

    def mortal(method: str, target: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        if next(answers, None) is None:
            raise ConnectionAbortedError
        return catalog(method, target, body)

    with miniature(mortal) as url:
        run = fuzz(url)

    assert failures(run) == [("IRC-ERR-014", Outcome.FAIL)]
    assert "answers nothing any more" in next(
        v.remark for v in run.verdicts if v.outcome is Outcome.FAIL
    )


@pytest.mark.parametrize(
    "nonsense",
    [
        b"",
        b"[1]",
        b"\xff",
        b'{"metadata": 5, "namespace": {"a": []}}',
        b'{"metadata": {"schemas": 5}}',
    ],
)
def test_nonsense_answers_fail_without_errors(nonsense: bytes) -> None:
    def babbling(method: str, target: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        if target.startswith("/v1/config"):
            return catalog(method, target, body)
        return 200, {"Content-Type": "application/json"}, b"" if method == "HEAD" else nonsense

    with miniature(babbling) as url:
        run = fuzz(url, budget=20)
    outcomes = {outcome for _, outcome in failures(run)}

    assert outcomes == {Outcome.FAIL}


# -- determinism -----------------------------------------------------------------------------------


def test_equal_seeds_send_equal_requests() -> None:
    with miniature(catalog) as url:
        first, second, other = (requests(fuzz(url, budget=15, seed=seed)) for seed in (7, 7, 8))

    assert first == second
    assert first != other


def test_fuzzing_leaves_no_files_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    SchemathesisBodies(Contract("iceberg_rest"), 1).draw("createNamespace", Random(1), valid=True)

    assert list(tmp_path.iterdir()) == []


def test_budget_is_kept_and_progress_is_reported() -> None:
    with miniature(catalog) as url:
        run = runner.Run(
            plan.plan(suites.load("iceberg_rest"), only=["IRC-CFG-001"]),
            Target(url),
            fuzz=60,
            seed=1,
        )
        progress = [event.done for event in run.events() if event.check == "fuzz"]

    assert progress == sorted(progress)
    assert progress[-1] == run.planned
    # The suite loads an object after a refused change, beside the budget.
    exchanges = [e for e in run.wire.exchanges.values() if e.check == "fuzz"]
    assert sum(exchange.look is None for exchange in exchanges) <= 60
    assert sum(exchange.look is not None for exchange in exchanges) < 30


# -- near misses -----------------------------------------------------------------------------------

EXAMPLE = {
    "name": "t",
    "at": Learned(("root",), "r"),
    "schema": {"fields": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]},
}


def test_near_misses_do_not_change_the_example() -> None:
    before = repr(EXAMPLE)

    for number in range(300):
        near_miss(EXAMPLE, Random(number))

    assert repr(EXAMPLE) == before


def test_near_misses_keep_part_of_the_example() -> None:
    mutants = [near_miss(EXAMPLE, Random(number)) for number in range(300)]
    documents = [c for c in mutants if isinstance(c, dict)]

    assert all(
        sum(c.get(member) == value for member, value in EXAMPLE.items()) >= 1 for c in documents
    )


def test_near_misses_change_every_place_and_cut_bodies() -> None:
    mutants = [near_miss(EXAMPLE, Random(number)) for number in range(2000)]
    documents = [c for c in mutants if isinstance(c, dict)]
    unchanging = [
        place
        for place in places_in(EXAMPLE)
        if all(_at(c, place) == _at(EXAMPLE, place) for c in documents)
    ]

    assert unchanging == []
    assert any(isinstance(c, bytes) for c in mutants)


def _at(value: Any, place: Sequence[Any]) -> Any:
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


# -- steps and shrinking ---------------------------------------------------------------------------


def test_learned_values_are_filled_in() -> None:
    body = {"a": [Learned(("x",), "unknown", "/more")], "b": (Learned(("n",), 5, 1),)}
    values = {("x",): "known"}

    assert fill(body, lambda placeholder: values.get(placeholder.what)) == {
        "a": ["known/more"],
        "b": (6,),
    }


def steps(*names: str) -> list[Step]:
    return [Step(name, {"table": name}, {"keep": [1, 2], "drop": "x" * 50}) for name in names]


def test_shrinking_keeps_only_needed_steps() -> None:
    def shows(candidate: Sequence[Step]) -> int:
        names = [step.operation for step in candidate]
        return names.index("e") + 1 if "b" in names and "e" in names[names.index("b") :] else 0

    shortest_steps = Shrinking(steps(*"abcdefgh"), shows).shortest()

    assert [step.operation for step in shortest_steps] == ["b", "e"]


def test_shrinking_removes_unneeded_members() -> None:
    def shows(candidate: Sequence[Step]) -> int:
        return len(candidate) if 2 in candidate[-1].body.get("keep", []) else 0

    shortest_steps = Shrinking(steps("a", "b"), shows).shortest()

    assert [step.body for step in shortest_steps] == [{"keep": [2]}]


def test_shrinking_replaces_arguments_by_plain_values() -> None:
    def shows(candidate: Sequence[Step]) -> int:
        names = {step.operation for step in candidate}
        return (
            len(candidate)
            if candidate[-1].operation == "load" and candidate[-1].arguments["table"] in names
            else 0
        )

    shortest_steps = Shrinking(
        [*steps("first", "second"), Step("load", {"table": "second"})],
        shows,
        plain={"table": "first"},
    ).shortest()

    assert [step.operation for step in shortest_steps] == ["first", "load"]


def test_shrinking_stops_after_the_given_attempts() -> None:
    attempts: list[int] = []

    def shows(candidate: Sequence[Step]) -> int:
        attempts.append(len(candidate))
        return 0

    Shrinking(steps(*"abcdefgh"), shows, attempts=5).shortest()

    assert len(attempts) == 5
