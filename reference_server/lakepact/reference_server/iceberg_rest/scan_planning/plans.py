"""Plans, finished or running, under random ids, with a limited lifetime and number."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from lakepact.reference_server.http.problems import Problem

MOST_PLANS = 10_000  #: that are kept
MOST_BYTES = 128 * 1024 * 1024  #: of all that are kept; one alone may be larger
KEPT_SECONDS = 3600.0  #: for which a plan can be fetched
WORKERS = 1  #: plans that are made in the background at a time: each may take much memory

Pages = tuple[bytes, ...]


class Table(NamedTuple):
    """A table as one principal scans it: neither another principal nor a later table of the same
    name has its plans.
    """

    namespace: tuple[str, ...]
    name: str
    uuid: str
    principal: str = ""  #: empty where callers are not known


class Cancelled(Exception):
    """The plan was cancelled or dropped."""


class State(Enum):
    """How far a plan is."""

    SUBMITTED = "submitted"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(slots=True)
class Plan:
    """One plan."""

    id: str
    table: Table
    until: float  #: when it is forgotten
    state: State = State.SUBMITTED
    pages: Pages = ()
    problem: Problem | None = None
    tasks: tuple[str, ...] = ()  #: one for each page but the first
    polls: int = 0  #: how many more answers say that it is submitted, whether it is or not

    @property
    def size(self) -> int:
        """The bytes of its pages."""
        return sum(map(len, self.pages))


@dataclass(slots=True)
class Plans:
    """The plans of a catalog.

    Args:
        most: how many are kept; the oldest ones are forgotten first.
        most_bytes: how large all that are kept may be; the newest is kept however large it is.
        seconds: for how long one is kept.
        clock: tells seconds that never go backwards.
    """

    most: int = MOST_PLANS
    most_bytes: int = MOST_BYTES
    seconds: float = KEPT_SECONDS
    clock: Callable[[], float] = time.monotonic
    _plans: OrderedDict[str, Plan] = field(default_factory=OrderedDict[str, Plan])
    _of_tasks: dict[str, tuple[Plan, int]] = field(default_factory=dict[str, tuple[Plan, int]])
    _bytes: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _workers: ThreadPoolExecutor | None = None

    def keep(self, table: Table, pages: Pages) -> Plan:
        """Keep a plan that is made."""
        plan = self._new(table)
        with self._lock:
            self._complete(plan, pages)
        return plan

    def submit(self, table: Table, make: Callable[[Callable[[], bool]], Pages]) -> Plan:
        """Have a plan made in the background by `make(is_cancelled)`, which may raise Problem."""
        plan = self._new(table)

        def work() -> None:
            try:
                pages = make(lambda: plan.state is not State.SUBMITTED)
            except Cancelled:
                return
            except Problem as problem:
                self._fail(plan, problem)
            except Exception:
                self._fail(
                    plan, Problem(500, "InternalServerError", "the server failed to plan the scan")
                )
                raise
            else:
                with self._lock:
                    self._complete(plan, pages)

        with self._lock:
            if self._workers is None:
                from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - most servers plan everything at once

                self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="plans")
        self._workers.submit(copy_context().run, work)  # it sees what its caller sees
        return plan

    def plan(self, table: Table, id_: str) -> Plan | None:
        """Return the plan of that id, if it is one of the table and not forgotten."""
        with self._lock:
            self._forget_old()
            plan = self._plans.get(id_)
        return plan if plan is not None and plan.table == table else None

    def page(self, table: Table, task: str) -> bytes | None:
        """Return the page that a plan task stands for, if its plan is one of the table and not
        forgotten.
        """
        with self._lock:
            self._forget_old()
            plan, number = self._of_tasks.get(task, (None, 0))
            return plan.pages[number] if plan is not None and plan.table == table else None

    def cancel(self, plan: Plan) -> None:
        """Stop a plan and drop its tasks; the cancellation is remembered."""
        with self._lock:
            self._let_go(plan)
            plan.state = State.CANCELLED

    def _new(self, table: Table) -> Plan:
        plan = Plan(secrets.token_urlsafe(18), table, self.clock() + self.seconds)
        with self._lock:
            self._forget_old()
            self._plans[plan.id] = plan
            while len(self._plans) > self.most:
                self._forget()
        return plan

    def _complete(self, plan: Plan, pages: Pages) -> None:
        if plan.state is not State.SUBMITTED:
            return
        plan.pages = pages
        plan.tasks = tuple(secrets.token_urlsafe(18) for _ in pages[1:])
        plan.state = State.COMPLETED
        if plan.id not in self._plans:
            return
        self._of_tasks.update({task: (plan, number) for number, task in enumerate(plan.tasks, 1)})
        self._bytes += plan.size
        while (
            self._bytes > self.most_bytes
            and len(self._plans) > 1
            and next(iter(self._plans)) != plan.id
        ):
            self._forget()

    def _fail(self, plan: Plan, problem: Problem) -> None:
        with self._lock:
            if plan.state is State.SUBMITTED:
                plan.problem = problem
                plan.state = State.FAILED

    def _forget_old(self) -> None:
        now = self.clock()
        while self._plans and next(iter(self._plans.values())).until <= now:
            self._forget()

    def _forget(self) -> None:
        plan = next(iter(self._plans.values()))
        self._let_go(plan)
        del self._plans[plan.id]
        if plan.state is State.SUBMITTED:
            plan.state = State.CANCELLED

    def _let_go(self, plan: Plan) -> None:
        if plan.id in self._plans:
            self._bytes -= plan.size
        for task in plan.tasks:
            self._of_tasks.pop(task, None)
        plan.pages, plan.tasks = (), ()
