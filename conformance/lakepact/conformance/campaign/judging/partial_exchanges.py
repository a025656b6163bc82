"""Partial exchanges: the operation, status and media type, which let most invariants decide without the rest.

A verdict on a partial exchange holds for every exchange with the same parts. An invariant that reads more is evaluated each time.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, cast

from lakepact.conformance import suite as suites
from lakepact.conformance.exchanges import Exchange
from lakepact.conformance.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from lakepact.conformance.judges import Invariant
    from lakepact.conformance.suite import Suite
    from lakepact.generated.contract import OperationId

REMEMBERED = 4096  #: partial exchanges

Kind = tuple[str, str, str, str]  #: of a verdict: check, requirement, level, verdict


class Closer(BaseException):
    """An invariant wants to see more; no invariant may take this for a fault of its own."""


@dataclass(frozen=True, slots=True)
class PartialExchange:
    """The parts of exchanges that invariants read; all other parts are absent.

    Args:
        contract: the contract of the exchange; invariants do not read it.
        off: features that its target does not have; invariants do not read them.
    """

    contract: str
    off: frozenset[str]
    check: str
    operation: OperationId | None
    method: str
    status: int
    media_type: str
    accepts: str
    secrets: tuple[str, ...]

    def __getattr__(self, name: str) -> Any:
        raise Closer(name)


#: The properties that distinguish exchanges with equal answers.
OF_REQUEST = frozenset({"number", "url", "request_headers", "request_body", "request_parsed", "seconds", "left_out", "curl"})


class Answer(Exchange):
    """An answer whose request and duration are partial."""

    def __getattribute__(self, name: str) -> Any:
        if name in OF_REQUEST:
            raise Closer(name)
        return super().__getattribute__(name)


def answer_of(exchange: Exchange) -> Exchange:
    """Return the answer of an exchange alone."""
    return Answer(**{one.name: getattr(exchange, one.name) for one in fields(exchange)})


@dataclass(frozen=True, slots=True)
class Asked:
    """An invariant, and what there is to say where it held.

    Args:
        is_certain: whether the partial exchange alone shows that it holds.
    """

    invariant: Invariant
    held: tuple[Kind, ...]
    is_certain: bool


@cache
def suite_of(contract: str) -> Suite[Any]:
    """Return the invariants of a contract."""
    return suites.load(contract)


def asked_about(exchange: Exchange, contract: str, off: frozenset[str]) -> tuple[Asked, ...]:
    """Return the invariants that can apply to an exchange, in the order of their suite.

    Args:
        exchange: a complete exchange.
        contract: its contract.
        off: features that its target does not have; their requirements are not judged.
    """
    seen = (exchange.check, exchange.operation, exchange.method, exchange.status, exchange.media_type, exchange.accepts, exchange.secrets)
    partial = PartialExchange(contract, off, *seen)
    _, topics = _at(partial)
    return _about(partial, tuple(frozenset(shown(exchange)) for shown in topics))


@lru_cache(REMEMBERED)
def _about(partial: PartialExchange, shown: tuple[frozenset[str], ...]) -> tuple[Asked, ...]:
    """Return the invariants of whose topics something is shown, and those that have none."""
    found, topics = _at(partial)
    by_topic = dict(zip(topics, shown, strict=True))
    return tuple(
        one
        for one in found
        if one.is_certain or one.invariant.topic is None or one.invariant.topic.what in by_topic.get(one.invariant.topic.shown, ())
    )


@lru_cache(REMEMBERED)
def _at(partial: PartialExchange) -> tuple[tuple[Asked, ...], tuple[Callable[[Exchange], Collection[str]], ...]]:
    """Return the invariants that can apply to what looks like this, and what there is to look closer at for topics of theirs."""
    suite, found = suite_of(partial.contract), []
    known = suite.contract.requirements
    for invariant in suite.invariants.values():
        held = _held(invariant, partial)
        if held is not False:
            judged = [known[name] for name in invariant.requirements if partial.off.isdisjoint(known[name].features)]
            kinds = tuple((invariant.name, one.id, one.level, Outcome.PASS.value) for one in judged)
            found.append(Asked(invariant, kinds, is_certain=held is True))
    topics = [one.invariant.topic.shown for one in found if one.invariant.topic is not None and not one.is_certain]
    return tuple(found), tuple(dict.fromkeys(topics))


def _held(invariant: Invariant, partial: PartialExchange) -> bool | None:
    """Return whether an invariant holds, or does not apply; `None` if it must be evaluated."""
    exchange = cast("Exchange", partial)
    try:
        if invariant.topic is not None and invariant.topic.what not in invariant.topic.shown(exchange):
            return False
        return bool(invariant.judge(exchange))
    except (Closer, Exception):  # noqa: BLE001 - what there is to say is said when all is seen
        return None
