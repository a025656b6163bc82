"""Sequences of requests: drawn by hypothesis, sent over the wire, judged after each request, shrunk when one is broken."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import orjson
from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from lakepact.conformance.fuzz.bodies import KINDS, Bodies, near_misses
from lakepact.conformance.outcome import Blocked, NotOffered, Outcome, Unmet, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lakepact.conformance.fuzz.world import World
    from lakepact.conformance.lab import Lab
    from lakepact.conformance.suite import Law
    from lakepact.conformance.wire import Exchange, Reply
    from lakepact.generated.contract import Contract

#: Bodies of a contract are large and rarely small enough for hypothesis' taste.
SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much, HealthCheck.large_base_example)
STEPS = 8  #: requests of a sequence


@dataclass(frozen=True)
class Fuzz:
    """What a contract gives the fuzzer.

    Args:
        world: makes a corner of the target for one sequence; the lab cleans it up.
        refuses_invalid: the requirement that is broken when a body that its schema forbids is accepted.
        operations: what is sent; what a target does not offer is left out.
        tolerated: whether a forbidden body may be accepted all the same, because clients send such bodies.
    """

    world: Callable[[Any], World]
    refuses_invalid: str
    operations: tuple[str, ...]
    tolerated: Callable[[str, Any], bool] = field(default=lambda *_: False)


class Broken(Exception):
    """A requirement that a sequence breaks."""

    def __init__(self, requirement: str, unmet: Unmet, exchanges: Sequence[int]) -> None:
        super().__init__(f"{requirement}: {unmet}")
        self.requirement = requirement
        self.unmet = unmet
        self.exchanges = tuple(exchanges)


class Judge:
    """Judges one exchange by every law and by what schemas forbid."""

    def __init__(self, contract: Contract, laws: Sequence[Law], fuzz: Fuzz) -> None:
        self._contract = contract
        self._laws = [law for law in laws if any(contract.requirements[r].level == "MUST" for r in law.requirements)]
        self._fuzz = fuzz
        self._validators: dict[str, Any] = {}
        self.held: set[str] = set()
        self.found: set[str] = set()  #: broken before; looked for no longer

    def look_at(self, exchange: Exchange, sent: Any) -> tuple[str, Unmet] | None:
        """What an exchange breaks first, if anything."""
        for law in self._laws:
            requirement = law.requirements[0]
            if requirement in self.found:
                continue
            try:
                if law.judge(exchange):
                    self.held.update(law.requirements)
            except Unmet as unmet:
                return requirement, unmet
        if self._fuzz.refuses_invalid not in self.found and 200 <= exchange.status < 300:
            wrong = self._forbidden(exchange.operation or "", sent)
            if wrong:
                return self._fuzz.refuses_invalid, Unmet(
                    f"a refusal of a body that the contract forbids ({wrong})", f"status {exchange.status}"
                )
            self.held.add(self._fuzz.refuses_invalid)
        return None

    def _forbidden(self, operation: str, sent: Any) -> str:
        """What the contract has against a body, or nothing."""
        schema = self._contract.operations[operation].body
        if schema is None or sent is None or isinstance(sent, bytes) or self._fuzz.tolerated(operation, sent):
            return ""
        if schema not in self._validators:
            document = {"$ref": f"#/components/schemas/{schema}", "components": self._contract.bundle["components"]}
            self._validators[schema] = jsonschema_rs.Draft202012Validator(document)
        errors = self._validators[schema].iter_errors(sent)
        error = next(errors, None)
        return f"at {'/'.join(map(str, error.instance_path)) or 'the top'}: {error.message}"[:300] if error else ""


@dataclass
class _Sequences:
    """The state machine of one search, and what it saw last."""

    lab: Callable[[], Lab]
    fuzz: Fuzz
    bodies: Bodies
    judge: Judge
    operations: tuple[str, ...]
    cases: int = 0
    last: Broken | None = None

    def machine(self) -> type[RuleBasedStateMachine]:
        """The machine that hypothesis drives; one instance is one sequence."""
        search = self

        class Sequence(RuleBasedStateMachine):
            def __init__(self) -> None:
                super().__init__()
                self.lab = search.lab()
                self.world = search.fuzz.world(self.lab)

            @rule(data=st.data())
            def request(self, data: st.DataObject) -> None:
                """Send one request and judge it."""
                search.step(self.lab, self.world, data)

            def teardown(self) -> None:
                """Clear the corner."""
                self.lab.clean_up()

        return Sequence

    def step(self, lab: Lab, world: World, data: st.DataObject) -> None:
        """One request of a sequence.

        Raises:
            Broken: it breaks a requirement.
        """
        operation = data.draw(st.sampled_from(self.operations), label="operation")
        arguments = world.arguments(operation, lambda options: data.draw(st.sampled_from(list(options))))
        body, query = self._drawn(world, operation, arguments, data)
        try:
            reply = self._sent(lab, operation, arguments, body, query)
        except Blocked as silent:
            raise self._broken(lab, self.fuzz.refuses_invalid, Unmet("an answer", str(silent))) from silent
        self.cases += 1
        world.learn(operation, arguments, body, reply)
        found = self.judge.look_at(reply.exchange, body)
        if found is not None:
            raise self._broken(lab, *found)

    def _broken(self, lab: Lab, requirement: str, unmet: Unmet) -> Broken:
        self.last = Broken(requirement, unmet, lab.sent)
        return self.last

    def _drawn(self, world: World, operation: str, arguments: dict[str, Any], data: st.DataObject) -> tuple[Any, list[tuple[str, str]]]:
        """A body and a query for an operation."""
        kind = data.draw(st.sampled_from(KINDS), label="kind")
        example = world.example(operation, arguments)
        if kind == "near" and isinstance(example, dict):
            return world.confined(operation, data.draw(near_misses(example), label="body")), []
        if kind == "valid" and example is not None and data.draw(st.booleans(), label="as in the example"):
            return example, []
        case = data.draw(self.bodies.cases(operation, valid=kind == "valid"), label="case")
        body = self.bodies.body(case)
        return (world.confined(operation, body) if isinstance(body, dict) else body), self.bodies.query(case)

    def _sent(self, lab: Lab, operation: str, arguments: dict[str, Any], body: Any, query: list[tuple[str, str]]) -> Reply:
        if isinstance(body, bytes):
            return lab.send(operation, content=body, query=query, **arguments)
        try:
            content = orjson.dumps(body) if body is not None else b""
        except TypeError:
            content = repr(body).encode("utf-8", "surrogatepass")
        return lab.send(operation, content=content, query=query, **arguments)


def fuzzed(
    lab: Callable[[int], Lab],
    contract: Contract,
    laws: Sequence[Law],
    *,
    fuzz: Fuzz,
    budget: int,
    start: int,
) -> Iterator[Verdict]:
    """Fuzz a target; yields a verdict for every requirement that was looked at.

    Args:
        lab: makes the bench of one sequence from its number.
        contract: what the target is judged by.
        laws: what every exchange is held against.
        fuzz: what the contract gives the fuzzer.
        budget: about how many requests to send, those of shrinking apart.
        start: the seed; the same seed, target and version send the same requests.
    """
    numbers = itertools.count(1_000_000)
    judge = Judge(contract, laws, fuzz)
    first = lab(next(numbers))
    operations = tuple(o for o in fuzz.operations if first.offers(o))
    search = _Sequences(lambda: lab(next(numbers)), fuzz, Bodies(contract), judge, operations)
    while operations and search.cases < budget:
        examples = max(1, (budget - search.cases) // STEPS)
        before = search.cases
        broken = _searched(search, examples=examples, start=start + len(judge.found))
        if broken is None or search.cases == before:
            break
        judge.found.add(broken.requirement)
        yield Verdict(
            broken.requirement,
            Outcome.FAIL,
            "fuzz",
            broken.unmet.expected,
            broken.unmet.actual,
            f"seed {start}, shrunk to {len(broken.exchanges)} requests",
            broken.exchanges,
        )
    for requirement in sorted(judge.held - judge.found):
        yield Verdict(requirement, Outcome.PASS, "fuzz", remark=f"{search.cases} fuzzed requests, seed {start}")


def _searched(search: _Sequences, *, examples: int, start: int) -> Broken | None:
    """The shortest sequence that breaks a requirement, if one was found."""
    search.last = None
    chosen = settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        database=None,
        deadline=None,
        verbosity=Verbosity.quiet,
        print_blob=False,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=SLOW,
    )
    machine = seed(start)(search.machine())
    try:
        run_state_machine_as_test(machine, settings=chosen)
    except Broken as broken:
        return broken
    except Flaky:
        return search.last
    except NotOffered:
        return None
    return None
