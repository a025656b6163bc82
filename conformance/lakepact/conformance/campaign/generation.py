"""Draws cases from operations, modes and seeds: the same ones in every process, because nothing of the process takes part."""

from __future__ import annotations

import contextlib
import fnmatch
import hashlib
import importlib
import platform
from collections import Counter
from importlib.metadata import version
from random import Random
from typing import TYPE_CHECKING, Any

import httpx
import orjson

from lakepact.conformance import suite as suites
from lakepact.conformance.campaign.cases import READING, Case, fingerprint, row_of
from lakepact.conformance.fuzz.bodies import NOTHING, Bodies, forget
from lakepact.conformance.fuzz.near import near_miss
from lakepact.conformance.fuzz.steps import Step
from lakepact.conformance.target import Offer, Target
from lakepact.conformance.wire import Exchange, Reply, Wire

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from lakepact.conformance.fuzz import Fuzz, World

MODES = ("example", "valid", "wild", "near", "reading")
NOWHERE = "http://plan.invalid"  #: nothing is ever sent there
FEWEST = 4  #: bodies that are drawn at once; the first one is the same for every seed
#: What every listing is asked besides plainly.
PAGES: tuple[tuple[tuple[str, str], ...], ...] = ((("pageToken", ""), ("pageSize", "1")), (("pageToken", ""), ("pageSize", "1000")))

#: hypothesis mixes constants of whatever modules happen to be loaded into what it draws; the function that finds them, and its type.
PROVIDERS, CONSTANTS, LOCAL = "hypothesis.internal.conjecture.providers", "Constants", "_get_local_constants"


class CannotBePlanned(LookupError):
    """A contract whose requests cannot be drawn before there is a target."""


@contextlib.contextmanager
def alike_everywhere() -> Generator[None]:
    """Keep constants of loaded modules out of what hypothesis draws, as they differ from process to process.

    Raises:
        CannotBePlanned: this version of hypothesis finds them elsewhere.
    """
    providers = importlib.import_module(PROVIDERS)
    found, kind = getattr(providers, LOCAL, None), getattr(providers, CONSTANTS, None)
    if found is None or kind is None:
        raise CannotBePlanned(
            f"hypothesis {version('hypothesis')} is not known to draw the same everywhere; install the version of the extra"
        )
    nothing = kind()

    def start_anew(finder: Callable[[], Any]) -> None:
        setattr(providers, LOCAL, finder)
        providers.CONSTANTS_CACHE.cache.clear()
        forget()

    start_anew(lambda: nothing)
    try:
        yield
    finally:
        start_anew(found)


def generator_fingerprint(contract: str) -> str:
    """What cases depend on besides seeds, as one hash."""
    parts = (
        fingerprint(suites.load(contract).contract),
        version("hypothesis"),
        version("schemathesis"),
        platform.python_version_tuple()[:2],
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def planned(
    contract: str, *, seeds: Iterable[int], modes: Sequence[str] = MODES, per_seed: int = 1, only: Sequence[str] = ("*",)
) -> list[dict[str, Any]]:
    """The rows of a plan, each case once, in the order of operations, modes and seeds.

    Args:
        contract: name of the contract.
        seeds: where drawing starts.
        modes: how to draw.
        per_seed: cases of each operation, mode and seed; operations that matter more give several times as many.
        only: patterns of operations.

    Raises:
        CannotBePlanned: its requests are about what only a target knows.
        LookupError: there are no checks for such a contract.
    """
    suite = suites.load(contract)
    if suite.fuzz is None or suite.fuzz.rehearsed is None:
        raise CannotBePlanned(f"cases of {contract} cannot be planned: they are about what only a target knows")
    sha256 = fingerprint(suite.contract)
    rows: dict[str, dict[str, Any]] = {}
    with Wire(NOWHERE) as wire, alike_everywhere():
        drawing = _Drawing(suite, suite.fuzz, wire, only)
        for seed in seeds:
            for case in drawing.cases(seed, modes=modes, per_seed=per_seed):
                row = row_of(case, suite.contract, sha256)
                rows.setdefault(row["case_id"], row)
    return [{**row, "number": number} for number, row in enumerate(rows.values())]


class _Drawing:
    """Draws the cases of one contract."""

    def __init__(self, suite: suites.Suite[Any], fuzz: Fuzz, wire: Wire, only: Sequence[str]) -> None:
        self._suite = suite
        self._fuzz = fuzz
        self._wire = wire
        self._operations = Counter(o for o in fuzz.operations if any(fnmatch.fnmatchcase(o, pattern) for pattern in only))

    def cases(self, seed: int, *, modes: Sequence[str], per_seed: int) -> Iterator[Case]:
        contract = self._suite.contract
        bodies = Bodies(contract, seed, batch=max(FEWEST, per_seed * 2))
        for operation, weight in self._operations.items():
            for mode in modes:
                if mode == "reading":
                    yield from self._reading(operation, seed)
                    continue
                for n in range(per_seed * weight):
                    random = Random(f"{contract.name} {operation} {mode} {seed} {n}")  # noqa: S311 - nothing secret
                    case = self._case(operation, mode, bodies, random=random, seed=seed)
                    if case is not None:
                        yield case

    def _case(self, operation: str, mode: str, bodies: Bodies, *, random: Random, seed: int) -> Case | None:
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
            drawn = bodies.draw(operation, valid=mode == "valid")
            if drawn == NOTHING:
                return None
            body, query = drawn.body, drawn.query
        step = Step(operation, arguments, world.confined(operation, body), query, mode)
        return Case(self._suite.contract.name, mode, seed, setup, step)

    def _reading(self, operation: str, seed: int) -> Iterator[Case]:
        """What a law looks at first: a plain request for each thing that can be read, and pages of what is listed."""
        known = self._suite.contract.operations[operation]
        if known.method not in READING:
            return
        world, setup = self._world(operation, Random(0))  # noqa: S311 - nothing secret
        path = {p.argument for p in known.parameters if p.where == "path"}
        arguments = {name: value for name, value in world.plain.items() if name in path}
        paged = {"pageToken", "pageSize"} <= {p.name for p in known.parameters if p.where == "query"}
        for query in ((), *(PAGES if paged else ())):
            yield Case(self._suite.contract.name, "reading", seed, setup, Step(operation, arguments, None, query, "reading"))

    def _world(self, operation: str, random: Random) -> tuple[World, tuple[Step, ...]]:
        """A corner that has learned of its opening what the contract says; all that is only read needs the same one."""
        contract = self._suite.contract
        offer = Offer(frozenset(contract.operations), segments={"prefix": None})
        lab = self._suite.lab(self._wire, contract, Target(NOWHERE), offer=offer, check="campaign", run="plan", serial=0)
        world = self._fuzz.world(lab)
        reads = contract.operations[operation].method in READING
        setup = tuple(world.opening(Random(0) if reads else random))  # noqa: S311 - nothing secret
        for step in setup:
            world.learn(step, self._rehearsal(step))
        return world, setup

    def _rehearsal(self, step: Step) -> Reply:
        body = orjson.dumps(self._fuzz.rehearsed(step), default=str) if self._fuzz.rehearsed else b""
        method = self._suite.contract.operations[step.operation].method
        return Reply(Exchange(0, step.operation, "campaign", method, NOWHERE, (), b"", 200, httpx.Headers(), body, 0.0))
