"""One client on one server: first on the sound server, then on servers with a fault."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from impact.truth import Truth
from lakepact.conformance.programs.everyday.measuring import (
    SoundStep,
    Trial,
    neighbours,
    repeat,
)
from lakepact.conformance.programs.everyday.outcomes import (
    CONTRACT,
    SEVERITY,
    VERSION,
    WORKS,
    WRONG,
    Finding,
)
from lakepact.conformance.programs.everyday.programme import (
    CHAINS,
    PAGE,
    Step,
)
from lakepact.conformance.programs.program import Program
from lakepact.reference_server.faults import Fault, wrap_rule
from lakepact.reference_server.running import running

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.reference_server.http.service import Scope

SECONDS = 30.0  #: time limit of a task


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
        """Return the chains in which the client calls one of these operations; all chains for
        none.
        """
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


def sound(program: Program) -> Sound:
    """Return what a client does on the sound server; tasks that it does not offer, or that end
    otherwise than expected, are left out.

    Raises:
        RuntimeError: its results differ from run to run.
    """
    operations: dict[str, frozenset[str]] = {}

    def once(chains: Mapping[str, Sequence[Step]]) -> Mapping[str, tuple[SoundStep, ...]]:
        steps: dict[str, tuple[SoundStep, ...]] = {}
        operations.clear()
        calls = Calls()
        with server(calls.fault()) as (url, truth):
            trial = Trial(program, truth, lambda: contextlib.nullcontext(url))
            for chain, wanted in chains.items():
                calls.operations.clear()
                done = tuple(trial.sound_steps(chain, wanted))
                if len(done) > 1:  # more than the namespace
                    steps[chain], operations[chain] = done, frozenset(calls.operations)
        return steps

    return Sound(repeat(CHAINS, once), dict(operations))


def impact(program: Program, known: Sound, fault: Fault, operations: Collection[str]) -> Finding:
    """Return the worst outcome of the chains in which a client calls an operation, on a server with
    a fault.

    A chain ends at its first task that does not work. All chains end at the first one that is wrong
    or gets no answer.

    Args:
        program: the client.
        known: what it does on the sound server.
        fault: of the server.
        operations: of the requirement that the fault breaks.
    """
    worst = Finding(WORKS)
    done: dict[str, dict[str, Any]] = {}
    with server(fault) as (url, truth):
        trial = Trial(program, truth, lambda: contextlib.nullcontext(url))
        for chain in known.calls(operations):
            *_, finding = trial.findings(chain, known.chains[chain])
            if finding.outcome == WORKS:
                done[chain] = known.chains[chain][-1].stored
                finding = neighbours(truth.state(), done, known.chains[chain][-1].step)
            if SEVERITY.index(finding.outcome) > SEVERITY.index(worst.outcome):
                worst = finding
            if worst.outcome == WRONG or worst.detail.startswith("no answer"):
                break
    return worst
