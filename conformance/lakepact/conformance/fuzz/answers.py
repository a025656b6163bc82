"""The rules for fuzzed exchanges: every invariant of the contract, and the refusal of bodies that
its schemas forbid.

Only undisputable failures count. A server may refuse a valid body for other reasons; it must refuse
an invalid body only where the JSON itself, a required member or a JSON type is wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jsonschema_rs

from lakepact.conformance.evidence.differences import pointer
from lakepact.conformance.evidence.exchanges import NO_OPERATION, Exchange
from lakepact.conformance.evidence.outcome import Mutation, Outcome, Unmet, Wrong
from lakepact.conformance.fuzz.steps import Step
from lakepact.conformance.fuzz.world import Remembering, World
from lakepact.conformance.judging.definitions import Invariant
from lakepact.conformance.judging.invariants import selector
from lakepact.generated.contract import Contract, OperationId

#: The kinds of invalid bodies, as `Fuzz.refusals` names them.
EMPTY = "empty"
MALFORMED = "malformed"
NO_OBJECT = "no object"
MISSING = "missing"
WRONG_TYPE = "wrong type"

MISTAKES = {
    EMPTY: Wrong.MISSING,
    MALFORMED: Wrong.SYNTAX,
    NO_OBJECT: Wrong.TYPE,
    MISSING: Wrong.MISSING,
    WRONG_TYPE: Wrong.TYPE,
}

SHOWN = 20  #: distinct answers that a failure report shows per requirement
WORDS = 8  #: of a message that distinguish it from others
#: What differs between messages of one cause: quoted text, and words with digits or other
#: characters.
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\S*[^\sA-Za-z.,:;()]\S*")
WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True)
class Fuzz:
    """The settings of the fuzzer for a contract.

    Args:
        world: creates the objects of one sequence; the lab removes them.
        operations: the operations to send, as far as the target offers them.
        answers: the requirement that a connection closed without an answer breaks.
        refusals: the requirement that accepting an invalid body of each kind breaks.
        tolerates: returns whether a missing required member is tolerated: operation, name of the
            member, and its object.
        sample_answer: returns the answer to a setup request, as far as the contract determines it, for
            sequences generated without a target; `None` if requests depend on the target's own
            objects.
        planning: like `world`, but without a target; equal to `world` if that sends nothing.
        free_members: members (`Component.member`) of answers whose values sound servers choose
            differently, such as times and locations.
        incomparable: members and components that are a server's own business, such as messages and
            page tokens.
        model: creates objects with a model of their state; `None` if requests change nothing.
    """

    world: Callable[[Any], World]
    operations: tuple[OperationId, ...]
    answers: str
    refusals: Mapping[str, str]
    tolerates: Callable[[str, str, Any], bool] = field(default=lambda *_: False)
    sample_answer: Callable[[Step], Any] | None = None
    planning: Callable[[Any], World] | None = None
    free_members: frozenset[str] = frozenset()
    incomparable: frozenset[str] = frozenset()
    model: Callable[[Any], Remembering] | None = None


@dataclass(frozen=True)
class Breach:
    """A requirement that an exchange breaks."""

    rule: str  #: name of the invariant, or what was wrong with the body
    requirements: tuple[str, ...]
    operation: OperationId
    unmet: Unmet
    answer: str = ""  #: the status and the error, without names and numbers

    def shows(self, other: Breach) -> bool:
        """Return whether another breach is the same: of one rule, in answers alike to one
        operation.
        """
        return (self.rule, self.operation, self.answer) == (
            other.rule,
            other.operation,
            other.answer,
        )


def answer_of(exchange: Exchange) -> str:
    """Return the status, the error's type, and its message without names and numbers: equal for
    answers alike.
    """
    error = exchange.error
    if error is None:
        return str(exchange.status)
    words = WORD.findall(QUOTED.sub(" ", error.message))
    return f"{exchange.status} {error.type} {' '.join(words[:WORDS])}"


class Judge:
    """Judges exchanges, and remembers passed and failed requirements.

    Args:
        contract: the contract that the target is checked against.
        invariants: the invariants; those that are no MUST are left out.
        fuzz: the settings of the fuzzer.
    """

    def __init__(self, contract: Contract, invariants: Sequence[Invariant], fuzz: Fuzz) -> None:
        self.contract = contract
        musts = (
            invariant
            for invariant in invariants
            if all(contract.requirements[r].level == "MUST" for r in invariant.requirements)
        )
        self._concerned = selector(musts, lambda invariant: invariant)
        self._fuzz = fuzz
        self._validators: dict[str, Any] = {}
        self._answers: dict[str, set[tuple[str, str]]] = {}
        self.held: set[str] = set()
        self.broken: set[str] = set()
        self.trouble: dict[
            str, tuple[tuple[str, ...], Exception]
        ] = {}  #: invariants of ours that broke, with what they judge

    def remember(self, breach: Breach) -> None:
        """Report a breach no more: not in answers alike, and nowhere after `SHOWN` answers."""
        self._answers.setdefault(breach.rule, set()).add((breach.operation, breach.answer))
        self.broken.update(breach.requirements)

    def is_new(self, breach: Breach) -> bool:
        """Return whether a breach is worth a report of its own."""
        answers = self._answers.get(breach.rule, set())
        return (breach.operation, breach.answer) not in answers and len(answers) < SHOWN

    def breaches(self, exchange: Exchange) -> Iterator[Breach]:
        """Yield the breaches of an exchange."""
        operation = exchange.operation or NO_OPERATION
        for invariant in self._concerned(exchange.operation, exchange.status):
            try:
                if invariant.judge(exchange):
                    self.held.update(invariant.requirements)
            except Unmet as unmet:
                answer = answer_of(exchange)
                yield Breach(invariant.name, invariant.requirements, operation, unmet, answer)
            except Exception as broken:  # noqa: BLE001 - ours, reported as such
                self.trouble[invariant.name] = invariant.requirements, broken
        if 200 <= exchange.status < 300:
            yield from self._acceptance(exchange, operation)

    def contradictions(
        self, verdicts: Iterable[tuple[str, Unmet | None]], operation: OperationId
    ) -> Iterator[Breach]:
        """Yield the breaches among the verdicts of a model."""
        for requirement, unmet in verdicts:
            if unmet is None:
                self.held.add(requirement)
            else:
                yield Breach(requirement, (requirement,), operation, unmet)

    def silence(self, operation: OperationId, why: str) -> Breach:
        """Return the breach of a connection that ended without an answer."""
        return Breach("answers", (self._fuzz.answers,), operation, Unmet("an answer", why))

    def outcome(self, requirement: str) -> Outcome:
        """Return the outcome of a requirement without a reported breach."""
        return Outcome.PASS if requirement in self.held - self.broken else Outcome.NOT_OFFERED

    def _acceptance(self, exchange: Exchange, operation: OperationId) -> Iterator[Breach]:
        mistake = self._forbidden(exchange, operation)
        if mistake is None:
            self.held.update(self._fuzz.refusals.values() if exchange.request_body else ())
            return
        what, wrong, at = mistake
        requirement = self._fuzz.refusals.get(what)
        if requirement is not None:
            actual = f"{operation}: status {exchange.status}"
            mutation = Mutation(MISTAKES[what], at)
            yield Breach(
                f"refusal of {what}",
                (requirement,),
                operation,
                Unmet(f"status 400 for {wrong}", actual, mutation=mutation),
            )

    def _forbidden(self, exchange: Exchange, operation: OperationId) -> tuple[str, str, str] | None:
        """Return why the body of a request must be refused: the kind of mistake, a description, and
        its place.
        """
        definition = self.contract.operations[operation]
        if definition.body is None or definition.body_media_type != "application/json":
            return None
        if not exchange.request_body:
            return (EMPTY, "no body", "body") if definition.body_required else None
        try:
            body = json.loads(exchange.request_body)
        except (ValueError, RecursionError):
            return MALFORMED, "a body that is not JSON", "body"
        if body is None or isinstance(body, (list, str)):
            return (
                NO_OBJECT,
                f"the body {exchange.request_body[:100].decode('utf-8', 'replace')}",
                "",
            )
        return self._against_schema(definition.body, operation, body)

    def _against_schema(
        self, schema: str, operation: OperationId, body: Any
    ) -> tuple[str, str, str] | None:
        if schema not in self._validators:
            self._validators[schema] = jsonschema_rs.Draft202012Validator(
                {"$ref": f"#/components/schemas/{schema}", **self.contract.schemas}
            )
        validator = self._validators[schema]
        errors: Iterable[Any] = (
            () if validator.is_valid(body) else validator.iter_errors(body)
        )  # to list none takes long
        for error in errors:
            where = "/".join(map(str, error.instance_path)) or "the top"
            at = pointer(*("*" if isinstance(step, int) else step for step in error.instance_path))
            if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Required):
                if not self._fuzz.tolerates(operation, error.kind.property, error.instance):
                    return (
                        MISSING,
                        f"a body that lacks `{error.kind.property}` at {where}",
                        at + pointer(error.kind.property),
                    )
            elif isinstance(
                error.kind, jsonschema_rs.ValidationErrorKind.Type
            ) and not _means_absent_or_number(error):
                return (
                    WRONG_TYPE,
                    f"a body with another JSON type at {where}: {error.message}"[:300],
                    at,
                )
        return None


def _means_absent_or_number(error: Any) -> bool:
    """Return whether a value of the wrong type is tolerated: null for an absent member, a
    non-integral number, a scalar for a string.
    """
    types, is_scalar = set(error.kind.types), isinstance(error.instance, (int, float))
    numeric = is_scalar and not isinstance(error.instance, bool)
    is_converted = (is_scalar and types == {"string"}) or (
        numeric and types <= {"integer", "number"}
    )
    return error.instance is None or is_converted
