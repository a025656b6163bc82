"""Plans are kept for a limited time and number, each for its own table."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.scan_planning.plans import (
    WORKERS,
    Cancelled,
    Plan,
    Plans,
    State,
)

TABLE, OTHER = (("n",), "t", "uuid-1"), (("n",), "u", "uuid-2")
PAGES = (b'{"file-scan-tasks":[1]}', b'{"file-scan-tasks":[2]}', b'{"file-scan-tasks":[3]}')


def finished(plans: Plans, make: Callable[[Callable[[], bool]], tuple[bytes, ...]]) -> Plan:
    """Return a plan made in the background, after all workers are idle again."""
    plan = plans.submit(TABLE, make)
    together = threading.Barrier(WORKERS + 1)

    def meet(_: object) -> tuple[bytes, ...]:
        together.wait(20)
        return (b"{}",)

    for _ in range(WORKERS):
        plans.submit(OTHER, meet)
    together.wait(20)
    return plan


def test_a_plan_is_found_by_its_id_and_its_pages_by_its_tasks() -> None:
    plans = Plans()

    plan = plans.keep(TABLE, PAGES)

    assert plans.plan(TABLE, plan.id) is plan
    assert [plans.page(TABLE, task) for task in plan.tasks] == list(PAGES[1:])


def test_recreated_table_has_no_plans_of_its_predecessor() -> None:
    plans = Plans()

    plan = plans.keep(TABLE, PAGES)

    assert plans.plan((*TABLE[:2], "uuid-9"), plan.id) is None


def test_ids_of_plans_and_tasks_are_unique() -> None:
    plans = Plans()

    made = [plans.keep(TABLE, PAGES) for _ in range(50)]
    names = [name for plan in made for name in (plan.id, *plan.tasks)]

    assert len(set(names)) == len(names)
    assert {len(name) for name in names} == {24}


def test_a_plan_is_forgotten_when_its_time_is_over() -> None:
    now = [0.0]
    plans = Plans(seconds=10, clock=lambda: now[0])
    plan = plans.keep(TABLE, PAGES)
    task = plan.tasks[0]

    now[0] = 9.9
    assert plans.plan(TABLE, plan.id) is plan
    now[0] = 10.0
    assert plans.plan(TABLE, plan.id) is None
    assert plans.page(TABLE, task) is None


def test_the_oldest_plan_is_forgotten_when_there_are_too_many() -> None:
    plans = Plans(most=2)

    made = [plans.keep(TABLE, PAGES) for _ in range(3)]

    assert [plans.plan(TABLE, plan.id) for plan in made] == [None, made[1], made[2]]


def test_the_oldest_plans_are_forgotten_when_they_are_too_large() -> None:
    size = sum(map(len, PAGES))
    plans = Plans(most_bytes=2 * size)

    made = [plans.keep(TABLE, PAGES) for _ in range(3)]
    huge = plans.keep(TABLE, (b"x" * 10 * size,))

    assert [plans.plan(TABLE, plan.id) for plan in made] == [None, None, None]
    assert plans.plan(TABLE, huge.id) is huge


def test_room_that_was_given_back_can_be_used_again() -> None:
    size = sum(map(len, PAGES))
    plans = Plans(most_bytes=2 * size)
    first = plans.keep(TABLE, PAGES)

    for _ in range(10):
        plans.cancel(plans.keep(TABLE, PAGES))

    assert plans.plan(TABLE, first.id) is first
    assert first.pages == PAGES


def test_a_cancelled_plan_is_remembered_without_its_pages() -> None:
    plans = Plans()
    plan = plans.keep(TABLE, PAGES)
    task = plan.tasks[0]

    plans.cancel(plan)

    assert (plan.state, plan.pages) == (State.CANCELLED, ())
    assert plans.page(TABLE, task) is None


def test_a_plan_in_the_background_is_completed() -> None:
    plan = finished(Plans(), lambda _: PAGES)

    assert (plan.state, plan.pages, len(plan.tasks)) == (State.COMPLETED, PAGES, 2)


def test_failed_background_plan_has_its_problem() -> None:
    problem = Problem(500, "RuntimeIOException", "no such manifest")

    def fail(_: object) -> tuple[bytes, ...]:
        raise problem

    plan = finished(Plans(), fail)

    assert (plan.state, plan.problem) == (State.FAILED, problem)


def test_a_plan_that_is_cancelled_while_it_is_made_stays_cancelled() -> None:
    plans = Plans()
    begun, cancelled = threading.Event(), threading.Event()
    seen: list[bool] = []

    def make(gone: Callable[[], bool]) -> tuple[bytes, ...]:
        begun.set()
        assert cancelled.wait(20)
        seen.append(gone())
        if gone():
            raise Cancelled
        return PAGES

    plan = plans.submit(TABLE, make)
    assert begun.wait(20)
    plans.cancel(plan)
    cancelled.set()
    finished(plans, lambda _: PAGES)

    assert (plan.state, plan.pages) == (State.CANCELLED, ())
    assert seen == [True]


@pytest.mark.parametrize("known", ["", "x", "../../etc"])
def test_invalid_plan_id_is_not_found(known: str) -> None:
    plans = Plans()
    plans.keep(TABLE, PAGES)

    assert (plans.plan(TABLE, known), plans.page(TABLE, known)) == (None, None)
