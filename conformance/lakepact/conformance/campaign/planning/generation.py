"""Draws cases from operations, modes and seeds: the same ones in every process."""

from __future__ import annotations

import fnmatch
import hashlib
import platform
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

import httpx
import orjson

from lakepact.conformance.campaign.planning import sequences
from lakepact.conformance.campaign.planning.cases import (
    CHECK,
    READING,
    SEQUENCE,
    Case,
    fingerprint,
    row_of,
    row_of_check,
)
from lakepact.conformance.campaign.planning.reads import with_reads
from lakepact.conformance.evidence.exchanges import Exchange, Reply
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.fuzz import World
from lakepact.conformance.fuzz.bodies import NOTHING, Bodies
from lakepact.conformance.fuzz.near import near_miss
from lakepact.conformance.fuzz.steps import Step
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.judging.definitions import Check
from lakepact.conformance.running import plan as plans
from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import OperationId

ONE_REQUEST = ("example", "valid", "wild", "near", "reading")
#: Requests of these modes, each followed by reads.
EFFECT, FOLLOWED = "effect", ("example", "near", SEQUENCE)
MODES = (*ONE_REQUEST, SEQUENCE, EFFECT, CHECK)
GENERATOR = 1  #: raise it when equal seeds draw other cases than before
NOWHERE = "http://plan.invalid"  #: nothing is ever sent there
SEQUENCES = 2  #: of each seed, as many times as cases of an operation
#: Query parameters of further requests to each listing, where it has such parameters.
PAGES: tuple[tuple[tuple[str, str], ...], ...] = (
    (("pageToken", ""), ("pageSize", "1")),
    (("pageToken", ""), ("pageSize", "1000")),
    (("maxResults", "1"),),
)


class CannotBePlanned(LookupError):
    """A contract whose requests cannot be drawn before there is a target."""


def generator_fingerprint(contract: str) -> str:
    """Return a hash of the inputs of a case other than its seed."""
    parts = (
        GENERATOR,
        fingerprint(suites.load(contract).contract),
        platform.python_version_tuple()[:2],
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Block:
    """Cases that are drawn together, the same in every process.

    Args:
        contract: name of the contract.
        seed: where drawing starts.
        what: an operation, or a mode in which there is none.
        modes: how to draw.
        times: cases of each mode.
        only: patterns of operations.
    """

    contract: str
    seed: int
    what: str
    modes: tuple[str, ...]
    times: int
    only: tuple[str, ...]


def blocks(
    contract: str,
    *,
    seeds: Iterable[int],
    modes: Sequence[str] = MODES,
    per_seed: int = 1,
    only: Sequence[str] = ("*",),
) -> list[Block]:
    """Generate cases, in the order of seeds and operations.

    Args:
        contract: name of the contract.
        seeds: the seeds.
        modes: the modes; those of `FOLLOWED` are left out beside `EFFECT`, which has their
            requests.
        per_seed: cases per operation, mode and seed; important operations have several times as
            many.
        only: patterns of operations; for checks also of requirements and names.

    Raises:
        CannotBePlanned: its requests depend on objects that only a target knows.
        LookupError: the contract has no checks.
    """
    weights = _weights(contract, tuple(only))
    modes = [mode for mode in modes if EFFECT not in modes or mode not in FOLLOWED]
    requests = tuple(mode for mode in modes if mode in ONE_REQUEST)
    result: list[Block] = []
    for n, seed in enumerate(seeds):

        def block(what: str, modes: tuple[str, ...], times: int, seed: int = seed) -> Block:
            return Block(contract, seed, what, modes, times, tuple(only))

        result += [
            block(operation, together, per_seed * weight)
            for together in (requests, (EFFECT,) * (EFFECT in modes))
            for operation, weight in weights.items()
            if together
        ]
        for mode in (SEQUENCE, EFFECT):
            if mode in modes and weights:
                result.append(block(SEQUENCE, (mode,), per_seed * SEQUENCES))
        if CHECK in modes and n == 0:
            result.append(block(CHECK, (CHECK,), 1))
    return result


def drawn(some: Iterable[Block]) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of each block, without numbers; a case may be in several."""
    with Wire(NOWHERE) as wire:
        drawings: dict[str, _Drawing] = {}
        for block in some:
            if block.contract not in drawings:
                drawings[block.contract] = _Drawing(block.contract, wire)
            yield drawings[block.contract].rows(block)


@cache
def _weights(contract: str, only: tuple[str, ...]) -> Counter[OperationId]:
    """Return the operations to send, with their weights."""
    suite = suites.load(contract)
    if suite.fuzz is None or suite.fuzz.sample_answer is None:
        raise CannotBePlanned(
            f"cases of {contract} cannot be planned: they are about what only a target knows"
        )
    operations = suite.contract.operations
    return Counter(
        o
        for o in suite.fuzz.operations
        if o in operations and any(fnmatch.fnmatchcase(o, pattern) for pattern in only)
    )


class _Drawing:
    """Draws the cases of one contract."""

    def __init__(self, contract: str, wire: Wire) -> None:
        self._suite = suites.load(contract)
        if self._suite.fuzz is None or self._suite.fuzz.sample_answer is None:
            raise CannotBePlanned(
                f"cases of {contract} cannot be planned: they are about what only a target knows"
            )
        self._fuzz = self._suite.fuzz
        self._rehearsed = self._suite.fuzz.sample_answer
        self._contract = self._suite.contract
        self._sha256 = fingerprint(self._contract)
        self._wire = wire
        self._bodies = Bodies(self._contract)

    def rows(self, block: Block) -> list[dict[str, Any]]:
        if block.modes == (EFFECT,):
            plain = replace(block, modes=FOLLOWED[:2])
            return [with_reads(row) for row in self.rows(plain)]
        if block.what == CHECK:
            return [
                row_of_check(check, self._contract, self._sha256)
                for check in self._checks(block.only)
            ]
        drawn = self._sequences(block) if block.what == SEQUENCE else self._requests(block)
        return [row_of(case, self._contract, self._sha256) for case in drawn]

    def _checks(self, only: tuple[str, ...]) -> tuple[Check, ...]:
        """Return the checks that judge what is wanted; invariants look at all that is sent
        anyway.
        """
        try:
            selection = plans.plan(self._suite, only=() if only == ("*",) else only)
        except plans.NothingSelected:
            return ()
        return tuple(
            check
            for check in selection.checks
            if selection.requirements.intersection(check.requirements)
        )

    def _requests(self, block: Block) -> Iterator[Case]:
        for mode in block.modes:
            if mode == "reading":
                yield from self._reading(OperationId(block.what), block.seed)
                continue
            for n in range(block.times):
                random = Random(f"{self._contract.name} {block.what} {mode} {block.seed} {n}")  # noqa: S311 - nothing secret
                case = self._case(OperationId(block.what), mode, random, seed=block.seed)
                if case is not None:
                    yield case

    def _sequences(self, block: Block) -> Iterator[Case]:
        operations = tuple(_weights(self._contract.name, block.only).elements())
        bodies, rehearsal = self._bodies, self._rehearsal
        for n in range(block.times):
            random = Random(f"{self._contract.name} {SEQUENCE} {block.seed} {n}")  # noqa: S311 - nothing secret
            world = self._new_world()
            steps = sequences.drawn(
                world,
                random,
                contract=self._contract,
                operations=operations,
                bodies=bodies,
                rehearsal=rehearsal,
            )
            yield Case(self._contract.name, SEQUENCE, block.seed, (), steps)

    def _case(self, operation: OperationId, mode: str, random: Random, *, seed: int) -> Case | None:
        world, setup = self._world(operation, random)
        arguments = world.arguments(operation, random)
        query: tuple[tuple[str, str], ...] = ()
        if mode in {"example", "near"}:
            body = world.example(operation, arguments, random)
            if mode == "near":
                if body is None:
                    return None
                body = near_miss(body, random)
        else:
            drawn = self._bodies.draw(operation, random, valid=mode == "valid")
            if drawn == NOTHING:
                return None
            body, query = drawn.body, drawn.query
        step = Step(operation, arguments, world.confine(operation, body), query, mode)
        return Case(self._contract.name, mode, seed, setup, (step,))

    def _reading(self, operation: OperationId, seed: int) -> Iterator[Case]:
        """Yield requests for invariants: a plain one for each readable object, and pages of
        listings.
        """
        definition = self._contract.operations[operation]
        if definition.method not in READING:
            return
        world, setup = self._world(operation, Random(0))  # noqa: S311 - nothing secret
        path = {p.argument for p in definition.parameters if p.where == "path"}
        arguments = {name: value for name, value in world.plain.items() if name in path}
        parameters = {p.name for p in definition.parameters if p.where == "query"}
        for query in ((), *(pages for pages in PAGES if {name for name, _ in pages} <= parameters)):
            yield Case(
                self._contract.name,
                "reading",
                seed,
                setup,
                (Step(operation, arguments, None, query, "reading"),),
            )

    def _new_world(self) -> World:
        offer = Offer(frozenset(self._contract.operations), segments={"prefix": None})
        lab = self._suite.lab(
            self._wire,
            self._contract,
            Target(NOWHERE),
            offer=offer,
            check="campaign",
            run="plan",
            serial=0,
        )
        return (self._fuzz.planning or self._fuzz.world)(lab)

    def _world(self, operation: OperationId, random: Random) -> tuple[World, tuple[Step, ...]]:
        """Return a world that has learned the expected answers to its opening; all read-only
        operations get the same one.
        """
        world = self._new_world()
        reads = self._contract.operations[operation].method in READING
        opening = world.opening(Random(0) if reads else random)  # noqa: S311 - nothing secret
        setup = tuple(step for step in opening if step.operation in self._contract.operations)
        for step in setup:
            world.learn(step, self._rehearsal(step))
        return world, setup

    def _rehearsal(self, step: Step) -> Reply:
        body = orjson.dumps(self._rehearsed(step), default=str)
        method = self._contract.operations[step.operation].method
        return Reply(
            Exchange(
                0,
                step.operation,
                "campaign",
                method,
                NOWHERE,
                (),
                b"",
                200,
                httpx.Headers(),
                body,
                0.0,
            )
        )
