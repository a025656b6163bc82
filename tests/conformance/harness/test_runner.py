"""The runner, on tiny suites and servers that are right or wrong on purpose."""

from __future__ import annotations

import itertools
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from faulty_servers import checked, new_suite, outcomes_of
from lakepact.conformance.evidence.exchanges import MARGIN, SHOWN_BODY, Reply
from lakepact.conformance.evidence.outcome import Blocked, NotOffered, Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.judging import expect, known_failures
from lakepact.conformance.report import outline
from lakepact.conformance.report.run_lines import lines_of
from lakepact.conformance.running import plan, runner
from lakepact.generated.contract import Contract
from miniatures import answer, miniature

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from lakepact.conformance.evidence.exchanges import Exchange
    from lakepact.conformance.judging.lab import Lab
    from lakepact.conformance.running.suite import Suite

    Answerer = Callable[[str, str, bytes], tuple[int, dict[str, str], bytes]]

MUST, OTHER_MUST, SHOULD, MAY = "IRC-CFG-001", "IRC-CFG-002", "IRC-CFG-012", "IRC-CFG-019"


def outcomes(
    suite: Suite[Any], answerer: Answerer = lambda *_: answer(200, {}), **settings: Any
) -> dict[str, Outcome]:
    return outcomes_of(run(suite, answerer, **settings))


def run(
    suite: Suite[Any], answerer: Answerer = lambda *_: answer(200, {}), **settings: Any
) -> runner.Run:
    with miniature(answerer) as url:
        return checked(url, of=suite, **settings)


def judging(requirement: str, status: int) -> Suite[Lab]:
    """Return a suite of one check that expects a status of the configuration."""
    suite = new_suite()

    @suite.check(requirement)
    def expects_a_status(lab: Lab) -> None:
        """The configuration returns a status."""
        reply = lab.send("getConfig")
        with lab.judge(requirement):
            expect.status(reply, status)

    return suite


@pytest.mark.parametrize(
    ("requirement", "status", "expected"),
    [
        (MUST, 418, Outcome.FAIL),
        (SHOULD, 418, Outcome.WARN),
        (MAY, 418, Outcome.PASS),
        (MUST, 200, Outcome.PASS),
    ],
    ids=["must", "should", "may", "met"],
)
def test_expectation_counts_by_level(requirement: str, status: int, expected: Outcome) -> None:
    assert outcomes(judging(requirement, status)) == {requirement: expected}


def test_interruption_ends_running_checks_at_their_next_request() -> None:
    suite, targets, start = new_suite(), list[str](), threading.Event()

    @suite.check(MUST)
    def ends(_: Lab) -> None:
        """The check ends while the other one runs."""
        start.wait(60)

    @suite.check(OTHER_MUST)
    def goes_on(lab: Lab) -> None:
        """The check sends many requests, and one more to clean up."""
        lab.add_cleanup(lambda: lab.send("listNamespaces"))
        for _ in range(1000):
            lab.send("getConfig")

    def slow(_: str, target: str, __: bytes) -> tuple[int, dict[str, str], bytes]:
        targets.append(target)
        start.set()
        time.sleep(0.01)
        return answer(200, {})

    with miniature(slow) as url:
        events = runner.Run(plan.plan(suite), Target(url)).events()
        next(events)
        before = len(targets)
        with pytest.raises(KeyboardInterrupt):
            events.throw(KeyboardInterrupt())

    assert len(targets) < before + 200
    assert "namespaces" in targets[-1]


def judges_nothing(_: Lab) -> None:
    """No requirement is judged."""


def loops_over_nothing(lab: Lab) -> None:
    """The target has no names to judge."""
    with lab.judge_each(MUST) as case:
        for name in lab.send("getConfig").document.get("names", ()):
            with case():
                expect.equal("x", name, "the name", at=None)


def may_loop_over_nothing(lab: Lab) -> None:
    """The target has no names to judge."""
    with lab.judge_each(MUST, without="the target has no names"):
        pass


def stops(lab: Lab) -> None:
    """The check stops after its first requirement."""
    with lab.judge(MUST):
        pass
    raise Blocked("x")


def stumbles(lab: Lab) -> None:
    """The check fails, and then raises an error."""
    with lab.judge(MUST):
        expect.status(lab.send("getConfig"), 418)
    raise KeyError("metadata")


def judges_thrice(lab: Lab) -> None:
    """The requirement is judged three times, once as broken."""
    for status in (200, 418, 200):
        with lab.judge(MUST):
            expect.status(lab.send("getConfig"), status)


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (judges_nothing, {MUST: Outcome.BLOCKED}),
        (loops_over_nothing, {MUST: Outcome.BLOCKED}),
        (may_loop_over_nothing, {MUST: Outcome.NOT_OFFERED}),
        (stops, {MUST: Outcome.PASS, OTHER_MUST: Outcome.BLOCKED}),
        (stumbles, {MUST: Outcome.FAIL, OTHER_MUST: Outcome.BLOCKED}),
        (judges_thrice, {MUST: Outcome.FAIL}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_way_of_judging_has_its_outcomes(
    check: Callable[[Lab], None], expected: dict[str, Outcome]
) -> None:
    suite = new_suite()
    suite.check(*expected)(check)

    assert outcomes(suite) == expected


def test_every_failing_case_is_listed() -> None:
    suite = new_suite()

    @suite.check(MUST)
    def expects_statuses(lab: Lab) -> None:
        """Four statuses are expected."""
        with lab.judge_each(MUST) as case:
            for status in (418, 200, 204, 200):
                with case():
                    expect.status(lab.send("getConfig"), status)

    (verdict,) = run(suite).verdicts
    assert (verdict.judged, [failure.expected_status for failure in verdict.failures]) == (
        4,
        [(418,), (204,)],
    )


def passes(lab: Lab) -> None:
    """The requirement passes."""
    lab.note(MUST, "judged")


def fails(lab: Lab) -> None:
    """The requirement fails."""
    with lab.judge(MUST):
        expect.status(lab.send("getConfig"), 418)


def is_not_offered(_: Lab) -> None:
    """The target has nothing to judge."""
    raise NotOffered("x")


def ends_in_its_loop(lab: Lab) -> None:
    """The check judges one of two cases."""
    for _ in lab.each(range(2)):
        with lab.judge(MUST):
            pass
        raise Blocked("x")


@pytest.mark.parametrize(
    ("checks", "expected"),
    [
        ((judges_nothing, passes), Outcome.PASS),
        ((passes, judges_nothing, fails), Outcome.FAIL),
        ((is_not_offered, judges_nothing), Outcome.BLOCKED),
        ((passes, ends_in_its_loop), Outcome.BLOCKED),
        ((passes, is_not_offered), Outcome.PASS),
    ],
)
def test_check_without_a_case_overrides_no_check_that_judged(
    checks: Sequence[Callable[[Lab], None]], expected: Outcome
) -> None:
    suite = new_suite()
    for check in checks:
        suite.check(MUST)(check)

    assert outcomes(suite) == {MUST: expected}


def test_pass_of_an_invariant_replaces_no_blocked_check() -> None:
    suite = new_suite()

    @suite.check(MUST)
    def cannot_judge(lab: Lab) -> None:
        """A step fails after the first request."""
        lab.send("getConfig")
        raise Blocked("x")

    @suite.invariant(MUST)
    def holds(_: Exchange) -> bool:
        """The invariant holds."""
        return True

    assert outcomes(suite) == {MUST: Outcome.BLOCKED}


def test_remark_names_the_check_that_judged_no_case() -> None:
    suite = new_suite()
    for check in (judges_nothing, passes):
        suite.check(MUST)(check)

    verdicts = run(suite).results()[MUST].verdicts

    assert [v.outcome for v in verdicts] == [Outcome.PASS, Outcome.BLOCKED]
    assert (
        verdicts[0].remark
        == f"judged; {__name__}.judges_nothing judged no case: the check found no case to judge on this target"
    )


def test_invariant_counts_all_breaches_and_lists_twenty() -> None:
    suite = new_suite()

    @suite.check(MUST)
    def sends_thirty(lab: Lab) -> None:
        """Thirty requests are sent."""
        for _ in range(30):
            lab.send("getConfig")
        lab.note(MUST, "")

    @suite.invariant(OTHER_MUST)
    def forbids_successes(exchange: Exchange) -> bool:
        """No answer is a success."""
        expect.status(Reply(exchange), 418)
        return True

    report = list(lines_of(run(suite)))
    (verdict,) = next(line["verdicts"] for line in report if line.get("requirement") == OTHER_MUST)

    assert (len(verdict["failures"]), verdict["failed"]) == (20, 30)
    assert outline.cases(verdict) == "30 of 30 fail: status 200 for 20 of the 20 listed"


def test_invariant_lists_each_distinct_answer_first() -> None:
    suite = new_suite()

    @suite.check(MUST)
    def sends_thirty_and_another(lab: Lab) -> None:
        """Thirty requests of no operation are sent, and one of an operation."""
        for _ in range(30):
            lab.send_raw("GET", "/v1/config")
        lab.send("getConfig")
        lab.note(MUST, "")

    @suite.invariant(OTHER_MUST)
    def forbids_answers(exchange: Exchange) -> bool:
        """No request is answered."""
        expect.status(Reply(exchange), 418)
        return True

    report = list(lines_of(run(suite)))
    (verdict,) = next(line["verdicts"] for line in report if line.get("requirement") == OTHER_MUST)

    last = max(line["number"] for line in report if line["line"] == "exchange")
    assert verdict["failures"][1]["exchange"] == last


def test_requirement_that_is_judged_but_not_cited_is_an_error() -> None:
    suite = new_suite()

    @suite.check(MUST)
    def judges_another(lab: Lab) -> None:
        """Another requirement is judged."""
        with lab.judge(MUST, OTHER_MUST):
            pass

    assert outcomes(suite)[MUST] == Outcome.ERROR


@pytest.mark.parametrize(
    ("trouble", "first", "expected"),
    [
        (Blocked("x"), Outcome.BLOCKED, Outcome.BLOCKED),
        (NotOffered("x"), Outcome.PASS, Outcome.NOT_OFFERED),
        (KeyError("x"), Outcome.ERROR, Outcome.ERROR),
    ],
    ids=["blocked", "not offered", "anything else"],
)
def test_check_that_ends_in_a_loop_passes_nothing(
    trouble: Exception, first: Outcome, expected: Outcome
) -> None:
    suite = new_suite()

    @suite.check(MUST, OTHER_MUST)
    def stops(lab: Lab) -> None:
        """The check stops after its first requirement."""
        for round_ in lab.each(range(2)):
            with lab.judge(MUST):
                pass
            if round_ == 1:
                raise trouble

    assert outcomes(suite) == {MUST: first, OTHER_MUST: expected}


def ends_after_its_loop(lab: Lab) -> None:
    """The loop is exhausted before the check ends."""
    for _ in lab.each(range(2)):
        with lab.judge(MUST):
            pass
    raise Blocked("x")


def breaks_off_its_loop(lab: Lab) -> None:
    """The loop is left early, and the check ends well."""
    for _ in lab.each(range(2)):
        with lab.judge(MUST, OTHER_MUST):
            pass
        break


def ends_in_an_inner_loop(lab: Lab) -> None:
    """The loop within a loop is left by an exception."""
    for _ in lab.each(range(2)):
        with lab.judge(MUST):
            pass
        for _ in lab.each(range(2)):
            with lab.judge(OTHER_MUST):
                pass
            raise Blocked("x")


def exhausts_loops_in_loops(lab: Lab) -> None:
    """A loop within a loop has judged the same as the outer one when it ends, and both are
    exhausted.
    """
    for _ in lab.each(range(2)):
        for _ in lab.each(range(2)):
            with lab.judge(MUST):
                pass
        with lab.judge(OTHER_MUST):
            pass


def judges_before_its_loop(lab: Lab) -> None:
    """The first requirement is judged before the loop that an exception leaves."""
    with lab.judge(MUST):
        pass
    for _ in lab.each(range(2)):
        with lab.judge(OTHER_MUST):
            pass
        raise Blocked("x")


@pytest.mark.parametrize(
    ("check", "first", "second"),
    [
        (ends_after_its_loop, Outcome.PASS, Outcome.BLOCKED),
        (breaks_off_its_loop, Outcome.PASS, Outcome.PASS),
        (ends_in_an_inner_loop, Outcome.BLOCKED, Outcome.BLOCKED),
        (exhausts_loops_in_loops, Outcome.PASS, Outcome.PASS),
        (judges_before_its_loop, Outcome.PASS, Outcome.BLOCKED),
    ],
)
def test_loop_that_an_exception_leaves_blocks_what_was_judged_in_it(
    check: Callable[[Lab], None], first: Outcome, second: Outcome
) -> None:
    suite = new_suite()
    suite.check(MUST, OTHER_MUST)(check)

    assert outcomes(suite) == {MUST: first, OTHER_MUST: second}


def test_exception_on_an_answer_that_breaks_an_invariant_is_blocked() -> None:
    suite = new_suite()

    @suite.invariant(OTHER_MUST)
    def answers_hold_something(exchange: Exchange) -> bool:
        """Every answer has a member."""
        expect.true(bool(exchange.json), "something", exchange.json, at=None)
        return True

    @suite.check(MUST)
    def relies_on_it(lab: Lab) -> None:
        """The configuration has the member `something`."""
        lab.note(MUST, lab.send("getConfig").document["something"])

    assert outcomes(suite) == {MUST: Outcome.BLOCKED, OTHER_MUST: Outcome.FAIL}


def test_invariant_sees_every_exchange() -> None:
    suite = judging(MUST, 200)
    numbers: list[int] = []

    @suite.invariant(OTHER_MUST)
    def looks(exchange: Exchange) -> bool:
        """Every exchange is recorded."""
        numbers.append(exchange.number)
        return True

    outcome_of_run = run(suite)

    assert sorted(outcome_of_run.wire.exchanges) == numbers
    assert outcome_of_run.results()[OTHER_MUST].outcome == Outcome.PASS


def test_single_invariant_selects_the_checks_that_it_names() -> None:
    suite = judging(MUST, 200)
    names: list[str] = list(suite.checks)

    @suite.check(SHOULD)
    def is_not_needed(lab: Lab) -> None:
        """Another check."""
        lab.note(SHOULD, "")

    @suite.invariant(OTHER_MUST, traffic=(names[0],))
    def has_enough(_: Exchange) -> bool:
        """An invariant that names its traffic."""
        return True

    @suite.invariant(MAY)
    def wants_everything(_: Exchange) -> bool:
        """An invariant that needs all traffic."""
        return True

    assert [c.name for c in plan.plan(suite, only=[OTHER_MUST]).checks] == names
    assert [c.name for c in plan.plan(suite, only=[MAY]).checks] == list(suite.checks)


def test_invariant_beside_selected_checks_adds_no_check() -> None:
    suite = judging(MUST, 200)
    names: list[str] = list(suite.checks)

    @suite.check(SHOULD)
    def is_not_selected(lab: Lab) -> None:
        """Another check."""
        lab.note(SHOULD, "")

    @suite.invariant(MAY)
    def wants_everything(_: Exchange) -> bool:
        """An invariant that needs all traffic."""
        return True

    beside, alone = (plan.plan(suite, only=only, narrow=True) for only in ([MUST, MAY], [MAY]))

    assert ([c.name for c in beside.checks], beside.whole) == (names, False)
    assert ([c.name for c in alone.checks], alone.whole) == (list(suite.checks), True)


def test_large_body_is_cut_after_all_invariants_have_seen_it() -> None:
    suite = new_suite()
    lengths: list[int] = []

    @suite.check(MUST)
    def asks_for_much(lab: Lab) -> None:
        """The answer is large."""
        with lab.judge(MUST):
            expect.true(len(lab.send("getConfig").body) < 10, "little", "much", at=None)

    @suite.invariant(OTHER_MUST)
    def looks_at_all_of_it(exchange: Exchange) -> bool:
        """The invariant sees the whole body."""
        lengths.append(len(exchange.body))
        return True

    outcome_of_run = run(suite, lambda *_: answer(200, {"much": "x" * 100_000}))
    report = list(lines_of(outcome_of_run))

    assert lengths == [100_012]
    assert [len(e.body) for e in outcome_of_run.wire.exchanges.values()] == [SHOWN_BODY + MARGIN]
    assert [line["response"]["body"][-14:] for line in report if line["line"] == "exchange"] == [
        "(100012 bytes)"
    ]


def test_broken_invariant_names_the_exchange_that_breaks_it() -> None:
    suite = judging(MUST, 200)

    @suite.invariant(OTHER_MUST)
    def forbids_json(exchange: Exchange) -> bool:
        """No answer is JSON."""
        expect.true(
            exchange.media_type != "application/json", "no JSON", exchange.media_type, at=None
        )
        return True

    verdict = run(suite).results()[OTHER_MUST].verdicts[0]

    assert (verdict.outcome, verdict.exchanges) == (Outcome.FAIL, (1,))


def test_broken_invariant_names_only_the_exchanges_that_led_to_it() -> None:
    suite = new_suite()

    @suite.check(MUST)
    def changes_two_things(lab: Lab) -> None:
        """Two namespaces and a table are created, and the table is loaded."""
        one, other = lab.name(), lab.name()
        for name in (one, other):
            lab.send("createNamespace", body={"namespace": [name]})
        lab.send("createTable", namespace=one, body={"name": "lakepact"})
        lab.send("loadTable", namespace=one, table="lakepact")

    @suite.invariant(OTHER_MUST)
    def forbids_loading(exchange: Exchange) -> bool:
        """No table is loaded."""
        expect.true(
            exchange.operation != "loadTable", "another operation", exchange.operation, at=None
        )
        return True

    verdict = run(suite).results()[OTHER_MUST].verdicts[0]

    assert verdict.exchanges == (1, 3, 4)


def test_failure_names_the_exchange_that_holds_the_compared_value() -> None:
    suite = new_suite()

    @suite.check(MUST)
    def compares_an_earlier_answer(lab: Lab) -> None:
        """Of two answers the first is compared, after the second came."""
        updated = lab.send("updateProperties", namespace="a", body={"removals": [], "updates": {}})
        lab.send("loadNamespaceMetadata", namespace="a")
        with lab.judge(MUST):
            expect.equal([], updated.at("missing"), "missing keys", at=updated.place("missing"))

    verdict = (
        run(
            suite,
            lambda method, *_: answer(200, {"missing": ["never"] if method == "POST" else []}),
        )
        .results()[MUST]
        .verdicts[0]
    )

    assert (verdict.outcome, [f.exchanges for f in verdict.failures]) == (Outcome.FAIL, [(1,)])


def test_invariant_without_a_matching_exchange_is_not_offered() -> None:
    suite = judging(MUST, 200)

    @suite.invariant(OTHER_MUST)
    def never_applies(_: Exchange) -> bool:
        """The invariant applies to no exchange."""
        return False

    assert outcomes(suite)[OTHER_MUST] == Outcome.NOT_OFFERED


@pytest.mark.parametrize("end", ["interrupted", "refused", "throttled"])
def test_early_end_of_a_run_leaves_out_invariants_without_an_exchange(end: str) -> None:
    suite = judging(MUST, 200)

    @suite.invariant(OTHER_MUST)
    def never_applies(_: Exchange) -> bool:
        """The invariant applies to no exchange."""
        return False

    with miniature(lambda *_: answer(200, {})) as url:
        run = runner.Run(plan.plan(suite), Target(url))
        events = run.events()
        next(events)
        if end == "interrupted":
            with pytest.raises(KeyboardInterrupt):
                events.throw(KeyboardInterrupt())
        elif end == "refused":
            run.stopped = end
        else:
            run.wire.throttled = end
        assert list(events) == []

    assert run.results().keys() == {MUST}
    assert outline.Outline.of(lines_of(run, stopped=end)).coverage == "1 of 2"


def test_cleanup_runs_in_reverse_order_and_can_be_disabled() -> None:
    def suite_that_makes(cleanups: list[str]) -> Suite[Lab]:
        suite = new_suite()

        @suite.check(MUST)
        def makes(lab: Lab) -> None:
            """The check adds two cleanups."""
            for thing in ("first", "second"):
                lab.add_cleanup(lambda t=thing: cleanups.append(t))
            lab.note(MUST, "fine")

        return suite

    by_default: list[str] = []
    without_cleanup: list[str] = []
    run(suite_that_makes(by_default))
    run(suite_that_makes(without_cleanup), keep=True)

    assert by_default == ["second", "first"]
    assert without_cleanup == []


def test_failed_cleanup_is_repeated_and_reported_as_leftover() -> None:
    tries = itertools.count()
    suite = new_suite()

    def in_the_way() -> None:
        if not next(tries):
            raise Blocked("something of another check is in it")

    @suite.check(MUST)
    def makes(lab: Lab) -> None:
        """The check adds two cleanups."""
        lab.add_cleanup(in_the_way)
        lab.add_cleanup(lambda: lab.send("getConfig"))
        lab.note(MUST, "fine")

    outcome_of_run = run(suite, lambda *_: answer(409, {}))

    assert (next(tries), [why.partition(" returned ")[2] for why in outcome_of_run.leftovers]) == (
        2,
        ["status 409  {}"],
    )


def test_target_that_does_not_answer_blocks_the_run() -> None:
    suite = judging(MUST, 200)
    outcome_of_run = runner.Run(plan.plan(suite), Target("http://127.0.0.1:9", timeout=1))

    assert {v.outcome for event in outcome_of_run.events() for v in event.verdicts} == {
        Outcome.BLOCKED
    }


def test_known_failure_is_excused_with_its_reason(tmp_path: Path) -> None:
    file = write(tmp_path, f"{MUST} ticket 1")
    outcome_of_run = run(
        judging(MUST, 418),
        known_failures=known_failures.read(file, Contract("iceberg_rest").requirements),
    )
    result = outcome_of_run.results()[MUST]

    assert (result.outcome, result.verdicts[0].remark) == (Outcome.KNOWN_FAIL, "ticket 1")
    assert runner.exit_code(outcome_of_run.results().values()) == runner.CONFORMANT


def test_known_failure_that_passes_fails_the_run(tmp_path: Path) -> None:
    file = write(tmp_path, f"{MUST} ticket 1")
    outcome_of_run = run(
        judging(MUST, 200),
        known_failures=known_failures.read(file, Contract("iceberg_rest").requirements),
    )

    assert outcome_of_run.results()[MUST].outcome == Outcome.UNEXPECTED_PASS
    assert runner.exit_code(outcome_of_run.results().values()) == runner.NOT_CONFORMANT


def test_known_failure_that_passes_in_another_check_stays_known(tmp_path: Path) -> None:
    suite = judging(MUST, 418)

    @suite.check(MUST)
    def expects_another_status(lab: Lab) -> None:
        """The configuration returns 200."""
        reply = lab.send("getConfig")
        with lab.judge(MUST):
            expect.status(reply, 200)

    outcome_of_run = run(
        suite,
        known_failures=known_failures.read(
            write(tmp_path, f"{MUST} ticket 1"), Contract("iceberg_rest").requirements
        ),
    )

    assert [v.outcome for v in outcome_of_run.results()[MUST].verdicts] == [
        Outcome.KNOWN_FAIL,
        Outcome.PASS,
    ]


@pytest.mark.parametrize(
    ("line", "message"), [("IRC-NO-* because", "matches no requirement"), (MUST, "has no reason")]
)
def test_unusable_known_failure_is_refused(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(known_failures.KnownFailuresError, match=message):
        known_failures.read(write(tmp_path, line), Contract("iceberg_rest").requirements)


def test_reason_of_a_known_failure_may_follow_a_tab(tmp_path: Path) -> None:
    path = write(tmp_path, f"{MUST}\tticket 1")

    assert known_failures.read(path, {MUST}) == (known_failures.KnownFailure(MUST, "ticket 1"),)


def write(folder: Path, line: str) -> Path:
    path = folder / "known.txt"
    path.write_text(f"# comment\n\n{line}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("outcomes", "strict", "expected"),
    [
        (
            [Outcome.PASS, Outcome.WARN, Outcome.NOT_OFFERED, Outcome.KNOWN_FAIL],
            False,
            runner.CONFORMANT,
        ),
        ([Outcome.PASS, Outcome.WARN], True, runner.NOT_CONFORMANT),
        ([Outcome.PASS, Outcome.FAIL, Outcome.ERROR], False, runner.NOT_CONFORMANT),
        ([Outcome.PASS, Outcome.BLOCKED], False, runner.INCOMPLETE),
        ([Outcome.PASS, Outcome.ERROR], False, runner.INCOMPLETE),
        ([], False, runner.INCOMPLETE),
    ],
)
def test_exit_code_depends_on_the_outcomes(
    outcomes: list[Outcome],
    strict: bool,  # noqa: FBT001
    expected: int,
) -> None:
    results = [runner.Result(MUST, outcome, ()) for outcome in outcomes]

    assert runner.exit_code(results, strict=strict) == expected


def test_check_that_cites_an_unknown_requirement_cannot_be_registered() -> None:
    suite = new_suite()

    with pytest.raises(LookupError, match="IRC-NOPE-001"):
        suite.check("IRC-NOPE-001")(lambda _: None)


def test_filter_selects_by_id_area_operation_and_check_and_never_nothing() -> None:
    suite = judging(MUST, 200)
    area = suite.requirement(MUST).area

    assert [
        plan.plan(suite, only=[p]).requirements
        for p in (MUST, area, "getConfig", "*.expects_a_status")
    ] == [{MUST}] * 4
    with pytest.raises(plan.NothingSelected, match="lakepact list"):
        plan.plan(suite, only=["nonsense"])


def test_operation_of_no_version_of_the_contract_is_an_error() -> None:
    suite = new_suite()

    @suite.check(MUST)
    def misspells(lab: Lab) -> None:
        """A table is loaded."""
        lab.send("lodTable", declared=False)

    outcome_of_run = run(suite, lambda *_: answer(200, {}))

    assert outcome_of_run.results()[MUST].outcome is Outcome.ERROR
    assert (
        "no version of iceberg_rest has an operation 'lodTable'"
        in outcome_of_run.results()[MUST].verdicts[0].actual
    )


def test_race_that_uses_up_its_time_blocks_no_other_check() -> None:
    suite = new_suite()

    @suite.check(MUST, alone=True)
    def loads_at_the_same_time(lab: Lab) -> None:
        """No answer comes to several simultaneous requests."""
        lab.concurrently([partial(lab.send_raw, "GET", "/late")] * 4)

    @suite.check(OTHER_MUST, last=1)
    def asks_once(lab: Lab) -> None:
        """The configuration returns 200."""
        with lab.judge(OTHER_MUST):
            expect.status(lab.send("getConfig"), 200)

    def late(_: str, target: str, __: bytes) -> Any:
        if target == "/late":
            time.sleep(0.5)
        return answer(200, {})

    with miniature(late) as url:
        actual = outcomes_of(checked(Target(url, timeout=0.2, max_wait=1), of=suite))

    assert actual == {MUST: Outcome.BLOCKED, OTHER_MUST: Outcome.PASS}


def test_late_look_notices_what_happens_after_the_check() -> None:
    suite, numbers = new_suite(), itertools.count()

    @suite.check(MUST)
    def stays(lab: Lab) -> None:
        """The configuration stays as it is."""

        def expects_200(looking: Lab) -> None:
            with looking.judge(MUST):
                expect.status(looking.send("getConfig"), 200)

        expects_200(lab)
        lab.look_again(MUST, expects_200)

    outcome_of_run = run(suite, lambda *_: answer(200 if next(numbers) == 0 else 500, {}))
    (result,) = outcome_of_run.results().values()

    assert (result.outcome, [verdict.outcome for verdict in result.verdicts]) == (
        Outcome.FAIL,
        [Outcome.FAIL, Outcome.PASS],
    )
    assert result.verdicts[0].actual.endswith("(looked at again 0 s later)")


def test_late_look_waits_until_its_time() -> None:
    suite, moments = new_suite(), []

    @suite.check(MUST)
    def stays(lab: Lab) -> None:
        """Nothing happens."""
        lab.note(MUST, "")
        lab.look_again(MUST, lambda _: moments.append(time.monotonic()))

    start = time.monotonic()
    run(suite, late_seconds=0.5)

    assert moments[0] - start >= 0.5
