"""Set-up steps of checks, and states that requests created which should have been refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from faulty_servers import checked, new_suite
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.judging import expect
from miniatures import answer, miniature

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.conformance.evidence.exchanges import Exchange
    from lakepact.conformance.judging.lab import Lab
    from lakepact.conformance.running.suite import Suite

    Answerer = Callable[[str, str, bytes], tuple[int, dict[str, str], bytes]]

JUDGED, OTHER, STEP, RULE = "IRC-CFG-001", "IRC-CFG-002", "IRC-NS-CREATE-001", "IRC-NS-GET-001"
FIRST, SECOND = "_1%27", "_2%27"  #: ends of the first names of a lab, as sent


def lists_namespaces(lab: Lab) -> None:
    expect.status(lab.send("listNamespaces"), 200)


def run(
    suite: Suite[Any], answerer: Answerer = lambda *_: answer(200, {})
) -> dict[str, tuple[Outcome, str]]:
    with miniature(answerer) as url:
        results = checked(url, of=suite).results()
    return {
        requirement: (result.outcome, result.verdicts[0].actual)
        for requirement, result in results.items()
    }


def test_failed_step_blocks_its_judgement_alone_and_names_its_requirement() -> None:
    suite = new_suite()

    @suite.check(JUDGED, OTHER)
    def judges_two(lab: Lab) -> None:
        """The first judgement needs a step that fails."""
        reply = lab.send("getConfig")
        with lab.judge(JUDGED):
            with lab.step(STEP):
                expect.equal(1, 2, "the number of namespaces", at=None)
            expect.status(reply, 418)
        with lab.judge(OTHER):
            expect.status(reply, 200)

    expected = (
        Outcome.BLOCKED,
        f"a set-up step failed ({STEP}): expected the number of namespaces 1, got 2",
    )

    assert run(suite)[JUDGED] == expected
    assert run(suite)[OTHER][0] is Outcome.PASS


def test_case_that_a_step_blocks_hides_no_failure() -> None:
    suite = new_suite()

    @suite.check(JUDGED)
    def judges_two_cases(lab: Lab) -> None:
        """The first case is blocked and the second fails."""
        reply = lab.send("getConfig")
        with lab.judge_each(JUDGED) as case:
            with case(), lab.step(STEP):
                expect.status(reply, 418)
            with case():
                expect.status(reply, 419)

    assert run(suite)[JUDGED][0] is Outcome.FAIL


@pytest.mark.parametrize(
    ("passing", "outcome"), [(1, Outcome.BLOCKED), (2, Outcome.PASS)], ids=["as many", "fewer"]
)
def test_requirement_passes_if_steps_block_fewer_cases_than_pass(
    passing: int, outcome: Outcome
) -> None:
    suite = new_suite()

    @suite.check(JUDGED)
    def judges_cases(lab: Lab) -> None:
        """The first case is blocked and the others pass."""
        reply = lab.send("getConfig")
        with lab.judge_each(JUDGED) as case:
            with case(), lab.step(STEP):
                expect.status(reply, 418)
            for _ in range(passing):
                with case():
                    expect.status(reply, 200)

    assert run(suite)[JUDGED][0] is outcome


def test_misspelled_requirement_of_a_step_is_an_error() -> None:
    suite = new_suite()

    @suite.check(JUDGED)
    def names_nothing(lab: Lab) -> None:
        """The step belongs to no requirement."""
        with lab.judge(JUDGED), lab.step("IRC-NO-000"):
            pass

    assert run(suite)[JUDGED][0] is Outcome.ERROR


def suite_of_refusals(*, last: bool = False) -> Suite[Lab]:
    """Return a suite with a request to refuse, and an invariant that its effect on the first
    namespace would break.
    """
    suite = new_suite(leftovers=lambda _lab, _exchanges: [])

    @suite.check(JUDGED, last=int(last))
    def sends_nonsense(lab: Lab) -> None:
        """The first namespace is not created again."""
        first, second = (lab.name(),), (lab.name(),)
        with lab.judge(JUDGED):
            expect.status(lab.send("updateProperties", namespace=first, body={}), 400)
        lab.send("loadNamespaceMetadata", namespace=first)
        lab.send("loadNamespaceMetadata", namespace=second)

    @suite.invariant(RULE)
    def nothing_is_spoilt(exchange: Exchange) -> bool:
        """No namespace is spoilt."""
        if exchange.operation != "loadNamespaceMetadata":
            return False
        expect.equal({}, exchange.json, "the namespace", at=None)
        return True

    return suite


def spoils(*namespaces: str, status: int = 200) -> Answerer:
    def answerer(method: str, target: str, _: bytes) -> tuple[int, dict[str, str], bytes]:
        if method == "POST":
            return answer(status, {})
        return answer(200, {"spoilt": True} if any(n in target for n in namespaces) else {})

    return answerer


@pytest.mark.parametrize(
    ("spoilt", "status", "expected"),
    [(FIRST, 200, Outcome.PASS), (SECOND, 200, Outcome.FAIL), (FIRST, 400, Outcome.FAIL)],
    ids=["wrongly accepted", "another object", "refused"],
)
def test_invariant_judges_all_but_what_an_accepted_request_left(
    spoilt: str, status: int, expected: Outcome
) -> None:
    assert run(suite_of_refusals(), spoils(spoilt, status=status))[RULE][0] is expected


def test_last_check_runs_after_all_others() -> None:
    suite, ran = new_suite(), list[str]()

    @suite.check(JUDGED, last=1)
    def spoils_everything(lab: Lab) -> None:
        """The check is the first of the suite."""
        ran.append("last")
        lab.note(JUDGED, "")

    @suite.check(OTHER, alone=True)
    def needs_peace(lab: Lab) -> None:
        """The check runs alone."""
        ran.append("alone")
        lab.note(OTHER, "")

    run(suite)

    assert ran == ["alone", "last"]


def test_target_that_a_last_check_broke_blocks_the_checks_behind_it() -> None:
    suite = new_suite(health=lists_namespaces)
    methods = list[str]()

    @suite.check(JUDGED, last=1)
    def breaks_the_listing(lab: Lab) -> None:
        """A namespace is created."""
        with lab.judge(JUDGED):
            expect.status(lab.send("createNamespace", body={}), 400)

    @suite.check(OTHER, last=1)
    def needs_the_listing(lab: Lab) -> None:
        """The namespaces are listed."""
        with lab.judge(OTHER):
            expect.status(lab.send("listNamespaces"), 200)

    def answerer(method: str, _: str, __: bytes) -> tuple[int, dict[str, str], bytes]:
        methods.append(method)
        return answer(500, {}) if method == "GET" and "POST" in methods else answer(200, {})

    outcomes = run(suite, answerer)

    assert outcomes[JUDGED][0] is Outcome.FAIL
    assert outcomes[OTHER] == (
        Outcome.BLOCKED,
        (
            f"after the requests of {__name__}.breaks_the_listing the target no longer answers ordinary requests: "
            "expected status 200, got status 500  {}"
        ),
    )


def test_target_that_was_broken_before_is_judged_to_the_end() -> None:
    suite = new_suite(health=lists_namespaces)

    @suite.check(JUDGED, last=1)
    def first(lab: Lab) -> None:
        """Nothing is judged."""
        lab.note(JUDGED, "")

    @suite.check(OTHER, last=1)
    def second(lab: Lab) -> None:
        """The namespaces are listed."""
        with lab.judge(OTHER):
            expect.status(lab.send("listNamespaces"), 200)

    assert run(suite, lambda *_: answer(500, {}))[OTHER][0] is Outcome.FAIL
