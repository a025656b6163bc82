"""One client on one server: first on the sound server, then on servers with a fault."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from impact.truth import State, Truth
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.programs.everyday.outcomes import (
    CONTRACT,
    SEVERITY,
    VERSION,
    WORKS,
    WRONG,
    Finding,
    difference,
    differing,
    error_of,
    short,
)
from lakepact.conformance.programs.everyday.programme import (
    AS_SOUND,
    CHAINS,
    PAGE,
    REFUSED,
    Step,
    Stored,
)
from lakepact.conformance.programs.program import Program, in_order
from lakepact.reference_server.faults import Fault, wrap_rule
from lakepact.reference_server.running import running

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.conformance.programs.program import Ended
    from lakepact.reference_server.http.service import Scope

SECONDS = 30.0  #: time limit of a task
PASSES = 5  #: of the programme on the sound server, until two are alike


@dataclass(frozen=True)
class SoundStep:
    """A task on the sound server: its result or the type of its error, and what is stored in the namespace of its chain afterwards."""

    step: Step
    result: Any
    error: str
    stored: dict[str, Any]


@dataclass(frozen=True)
class Sound:
    """A client on the sound server.

    Args:
        chains: the tasks that work there.
        operations: those that the client calls, by chain.
    """

    chains: Mapping[str, tuple[SoundStep, ...]]
    operations: Mapping[str, frozenset[str]]

    def calls(self, operations: Collection[str]) -> tuple[str, ...]:
        """Return the chains in which the client calls one of these operations; all chains for none."""
        return tuple(
            chain
            for chain, called in self.operations.items()
            if not operations or not called.isdisjoint(operations)
        )


@dataclass
class Calls:
    """The operations that were called since the last look."""

    operations: set[str] = field(default_factory=set)

    def fault(self) -> Fault:
        """Return the fault that notes them and changes nothing."""

        def noting(authenticate: Callable[[Any, Scope], Any]) -> Callable[[Any, Scope], Any]:
            def noted(operation: Any, scope: Scope) -> Any:
                self.operations.add(str(operation))
                return authenticate(operation, scope)

            return noted

        return Fault("notes-calls", (), wrap_rule("authenticate", noting))


def _paged(usual: Callable[..., Any]) -> Callable[..., Any]:
    """Return small pages to clients that ask for pages without a size."""

    def page(records: Any, listing: str, *, after: str | None, size: int | None) -> Any:
        return usual(records, listing, after=after, size=size or (None if after is None else PAGE))

    return page


USUAL = Fault("as-usual-servers", (), wrap_rule("page", _paged))


@contextlib.contextmanager
def server(*faults: Fault) -> Generator[tuple[str, Truth]]:
    """Yield the address of a reference server, and what it stores."""
    with running(contract=CONTRACT, contract_version=VERSION, faults=[USUAL, *faults]) as served:
        yield served.url, Truth(served.service.catalogs[0])  # type: ignore[attr-defined]  # of the Iceberg catalog


def _arguments(chain: str, step: Step, truth: Truth) -> dict[str, Any]:
    return {
        name: truth.stored(chain, value) if isinstance(value, Stored) else value
        for name, value in {"namespace": [chain], **step.arguments}.items()
    }


def _performed(program: Program, url: str, step: Step, arguments: Mapping[str, Any]) -> Ended:
    """Let the client perform one task.

    Raises:
        NotOffered: it does not implement the task.
    """
    return program.run(step.task, {"uri": url, "properties": {}, **arguments})


def sound(program: Program) -> Sound:
    """Return what a client does on the sound server; tasks that it does not offer, or that end otherwise than expected, are left out.

    Raises:
        RuntimeError: its results differ from run to run.
    """
    chains: dict[str, Sequence[Step]] = dict(CHAINS)
    before: Sound | None = None
    for _ in range(PASSES):
        now = _sound(program, chains)
        if now == before:
            return now
        before, chains = (
            now,
            {chain: [done.step for done in steps] for chain, steps in now.chains.items()},
        )
    raise RuntimeError("the client does not do the same twice on the sound server")


def _sound(program: Program, chains: Mapping[str, Sequence[Step]]) -> Sound:
    steps: dict[str, tuple[SoundStep, ...]] = {}
    operations: dict[str, frozenset[str]] = {}
    calls = Calls()
    with server(calls.fault()) as (url, truth):
        for chain, wanted in chains.items():
            calls.operations.clear()
            done = tuple(_sound_steps(program, chain, wanted, url=url, truth=truth))
            if len(done) > 1:  # more than the namespace
                steps[chain], operations[chain] = done, frozenset(calls.operations)
    return Sound(steps, operations)


def _sound_steps(
    program: Program, chain: str, steps: Sequence[Step], *, url: str, truth: Truth
) -> Iterator[SoundStep]:
    """Yield the tasks of a chain that end as expected."""
    for step in steps:
        with contextlib.suppress(NotOffered):
            ended = _performed(program, url, step, _arguments(chain, step, truth))
            stored = truth.state().get(chain, {})
            if ended.is_done == (step.expected != REFUSED) and _is_expected(step, ended):
                yield SoundStep(step, in_order(truth.plain(ended.value)), ended.error, stored)


def _is_expected(step: Step, ended: Ended) -> bool:
    """Return whether a result is the one that the programme names; rows may have further columns."""
    expected, found = step.expected, ended.value
    if expected in (AS_SOUND, REFUSED):
        return True
    if step.task.startswith("read-rows"):
        found = [{name: row.get(name) for name in ("id", "data")} for row in found]
    return bool(in_order(found) == in_order(expected))


def impact(program: Program, known: Sound, fault: Fault, operations: Collection[str]) -> Finding:
    """Return the worst outcome of the chains in which a client calls an operation, on a server with a fault.

    A chain ends at its first task that does not work. All chains end at the first one that is wrong or gets no answer.

    Args:
        program: the client.
        known: what it does on the sound server.
        fault: of the server.
        operations: of the requirement that the fault breaks.
    """
    worst = Finding(WORKS)
    done: dict[str, dict[str, Any]] = {}
    with server(fault) as (url, truth):
        for chain in known.calls(operations):
            finding = _chain(program, chain, known.chains[chain], url=url, truth=truth)
            if finding.outcome == WORKS:
                done[chain] = known.chains[chain][-1].stored
                finding = _neighbours(truth.state(), done, known.chains[chain][-1].step)
            if SEVERITY.index(finding.outcome) > SEVERITY.index(worst.outcome):
                worst = finding
            if worst.outcome == WRONG or worst.detail.startswith("no answer"):
                break
    return worst


def _chain(
    program: Program, chain: str, steps: Sequence[SoundStep], *, url: str, truth: Truth
) -> Finding:
    """Return the outcome of the first task of a chain that does not work."""
    for known in steps:
        step, arguments = known.step, _arguments(chain, known.step, truth)
        ended = _performed(program, url, step, arguments)
        stored = truth.state().get(chain, {})
        if not ended.is_done:
            finding = error_of(
                step,
                ended,
                known.error,
                [*arguments["namespace"], *map(str, [*arguments.values(), *truth.identifiers()])],
            )
            if finding.outcome != WORKS:
                return finding
        elif wrong := differing(step, truth.plain(ended.value), known.result):
            return Finding(WRONG, step.task, wrong)
        if stored != known.stored:
            return Finding(WRONG, step.task, _stored(stored, known.stored))
    return Finding(WORKS)


def _neighbours(state: State, done: Mapping[str, dict[str, Any]], step: Step) -> Finding:
    """Return whether the namespaces of earlier chains still hold what they held."""
    for chain, stored in done.items():
        if state.get(chain, {}) != stored:
            return Finding(WRONG, step.task, _stored(state.get(chain, {}), stored))
    return Finding(WORKS)


def _stored(actual: dict[str, Any], expected: dict[str, Any]) -> str:
    return short(f"the catalog holds {difference(expected, actual)}")
