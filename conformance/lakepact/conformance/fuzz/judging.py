"""What a fuzzed exchange is judged by: every invariant of the contract, and the refusal of what its schemas forbid.

Only what nobody can call a wrong accusation counts. A body that its schema allows may still be refused, for reasons that no
schema knows; a body that its schema forbids must be refused only where JSON itself, a required member or a JSON type is wrong.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from lakepact.conformance.exchanges import NO_OPERATION
from lakepact.conformance.outcome import Outcome, Unmet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lakepact.conformance.exchanges import Exchange
    from lakepact.conformance.fuzz.steps import Step
    from lakepact.conformance.fuzz.world import Remembering, World
    from lakepact.conformance.judges import Invariant
    from lakepact.generated.contract import Contract, OperationId

#: What can be wrong with a body, as `Fuzz.refusals` names it.
EMPTY, MALFORMED, NO_OBJECT, MISSING, WRONG_TYPE = "empty", "malformed", "no object", "missing", "wrong type"

SHOWN = 3  #: operations of which one requirement is reported broken; more of the same say nothing new


@dataclass(frozen=True)
class Fuzz:
    """What a contract gives the fuzzer.

    Args:
        world: makes a corner of the target for one sequence; the lab cleans it up.
        operations: what is sent; what a target does not offer is left out.
        answers: the requirement that is broken when a connection ends without an answer.
        refusals: the requirement that is broken when a body is accepted although this is wrong with it.
        tolerated: whether a required member may be missing all the same: operation, name of the member, and what lacks it.
        rehearsed: the body that answers a request of the opening, as far as the contract decides it, for who draws requests before
            there is a target; none where what can be asked for is the target's own.
        planning: the same as `world`, before there is a target; `world` itself if it asks nothing of one.
        model: makes a corner of which is known what it has to hold; none where requests change nothing.
    """

    world: Callable[[Any], World]
    operations: tuple[OperationId, ...]
    answers: str
    refusals: Mapping[str, str]
    tolerated: Callable[[str, str, Any], bool] = field(default=lambda *_: False)
    rehearsed: Callable[[Step], Any] | None = None
    planning: Callable[[Any], World] | None = None
    model: Callable[[Any], Remembering] | None = None


@dataclass(frozen=True)
class Breach:
    """A requirement that an exchange breaks."""

    rule: str  #: name of the invariant, or what was wrong with the body
    requirements: tuple[str, ...]
    operation: OperationId
    unmet: Unmet


class Judge:
    """Judges exchanges, and remembers what held and what is known to be broken.

    Args:
        contract: the contract that the target is checked against.
        invariants: what every exchange is held against; those that are no MUST are left out.
        fuzz: what the contract gives the fuzzer.
    """

    def __init__(self, contract: Contract, invariants: Sequence[Invariant], fuzz: Fuzz) -> None:
        self.contract = contract
        self._invariants = [
            invariant for invariant in invariants if all(contract.requirements[r].level == "MUST" for r in invariant.requirements)
        ]
        self._fuzz = fuzz
        self._validators: dict[str, Any] = {}
        self._operations: dict[str, set[str]] = {}
        self.held: set[str] = set()
        self.broken: set[str] = set()
        self.trouble: dict[str, tuple[tuple[str, ...], Exception]] = {}  #: invariants of ours that broke, with what they judge

    def remember(self, breach: Breach) -> None:
        """Look for this no longer: not in the same operation, and nowhere once it was found often enough."""
        self._operations.setdefault(breach.rule, set()).add(breach.operation)
        self.broken.update(breach.requirements)

    def is_new(self, breach: Breach) -> bool:
        """Return whether a breach is worth a report of its own."""
        seen = self._operations.get(breach.rule, set())
        return breach.operation not in seen and len(seen) < SHOWN

    def breaches(self, exchange: Exchange) -> Iterator[Breach]:
        """Everything that an exchange breaks."""
        operation = exchange.operation or NO_OPERATION
        for invariant in self._invariants:
            try:
                if invariant.judge(exchange):
                    self.held.update(invariant.requirements)
            except Unmet as unmet:
                yield Breach(invariant.name, invariant.requirements, operation, unmet)
            except Exception as broken:  # noqa: BLE001 - ours, reported as such
                self.trouble[invariant.name] = invariant.requirements, broken
        if 200 <= exchange.status < 300:
            yield from self._accepted(exchange, operation)

    def contradictions(self, said: Iterable[tuple[str, Unmet | None]], operation: OperationId) -> Iterator[Breach]:
        """Everything that an answer breaks of what was said of it."""
        for requirement, unmet in said:
            if unmet is None:
                self.held.add(requirement)
            else:
                yield Breach(requirement, (requirement,), operation, unmet)

    def silence(self, operation: OperationId, why: str) -> Breach:
        """Return the breach of a connection that ended without an answer."""
        return Breach("answers", (self._fuzz.answers,), operation, Unmet("an answer", why))

    def outcome(self, requirement: str) -> Outcome:
        """Return how a requirement came out on which no breach was reported."""
        return Outcome.PASS if requirement in self.held - self.broken else Outcome.NOT_OFFERED

    def _accepted(self, exchange: Exchange, operation: OperationId) -> Iterator[Breach]:
        found = self._forbidden(exchange, operation)
        if found is None:
            self.held.update(self._fuzz.refusals.values() if exchange.request_body else ())
            return
        what, wrong = found
        requirement = self._fuzz.refusals.get(what)
        if requirement is not None:
            yield Breach(
                f"refusal of {what}", (requirement,), operation, Unmet(f"status 400 for {wrong}", f"{operation}: status {exchange.status}")
            )

    def _forbidden(self, exchange: Exchange, operation: OperationId) -> tuple[str, str] | None:
        """What is wrong with the body of a request, if that must be refused."""
        known = self.contract.operations[operation]
        if known.body is None or known.body_media_type != "application/json":
            return None
        if not exchange.request_body:
            return (EMPTY, "no body") if known.body_required else None
        try:
            body = json.loads(exchange.request_body)
        except (ValueError, RecursionError):
            return MALFORMED, "a body that is not JSON"
        if body is None or isinstance(body, (list, str)):
            return NO_OBJECT, f"the body {exchange.request_body[:100].decode('utf-8', 'replace')}"
        return self._against_schema(known.body, operation, body)

    def _against_schema(self, schema: str, operation: OperationId, body: Any) -> tuple[str, str] | None:
        if schema not in self._validators:
            self._validators[schema] = jsonschema_rs.Draft202012Validator(
                {"$ref": f"#/components/schemas/{schema}", **self.contract.schemas}
            )
        validator = self._validators[schema]
        errors: Iterable[Any] = () if validator.is_valid(body) else validator.iter_errors(body)  # to list none takes long
        for error in errors:
            where = "/".join(map(str, error.instance_path)) or "the top"
            if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Required):
                if not self._fuzz.tolerated(operation, error.kind.property, error.instance):
                    return MISSING, f"a body that lacks `{error.kind.property}` at {where}"
            elif isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Type) and not _means_absent_or_number(error):
                return WRONG_TYPE, f"a body with another JSON type at {where}: {error.message}"[:300]
        return None


def _means_absent_or_number(error: Any) -> bool:
    """Return whether a value of the wrong type may be forgiven: null where a member is left out, and a number that is not integral."""
    numeric = isinstance(error.instance, (int, float)) and not isinstance(error.instance, bool)
    return error.instance is None or (numeric and set(error.kind.types) <= {"integer", "number"})
