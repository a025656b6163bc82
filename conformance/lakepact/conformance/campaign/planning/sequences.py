"""Generates sequences: requests to one place, generated before there is a target.

The contract determines parts of the answers in advance. Values that a target chooses are named, and
looked up when a sequence is replayed. So the same steps are sent to every target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from lakepact.conformance.campaign.planning.cases import READING
from lakepact.conformance.evidence.exchanges import Reply
from lakepact.conformance.fuzz import World
from lakepact.conformance.fuzz.bodies import Bodies
from lakepact.conformance.fuzz.near import near_miss
from lakepact.conformance.fuzz.steps import Step
from lakepact.generated.contract import Contract, OperationId

STEPS = 14  #: requests of a sequence, those that open it included
KINDS = ("example", "example", "example", "near", "valid", "wild")


def drawn(
    world: World,
    random: Random,
    *,
    contract: Contract,
    operations: Sequence[OperationId],
    bodies: Bodies,
    rehearsal: Callable[[Step], Reply],
) -> tuple[Step, ...]:
    """Return the steps of one sequence.

    Args:
        world: an empty place.
        random: the random generator.
        contract: what the steps are of.
        operations: to choose from; important ones occur more than once.
        bodies: draws bodies and queries.
        rehearsal: returns the answer to an accepted step, as far as the contract determines it.
    """
    steps = [step for step in world.opening(random) if step.operation in contract.operations]
    for step in steps:
        world.learn(step, rehearsal(step))
    while len(steps) < STEPS:
        step = _one(world, random, operations=operations, bodies=bodies)
        steps.append(step)
        if step.kind != "example":
            continue  # only what should be accepted changes what later steps are about
        answer = rehearsal(step)
        if contract.operations[step.operation].method not in READING or answer.exchange.json:
            world.learn(step, answer)
    return tuple(steps)


def _one(
    world: World, random: Random, *, operations: Sequence[OperationId], bodies: Bodies
) -> Step:
    operation = random.choice(operations)
    arguments = world.arguments(operation, random)
    kind = random.choice(KINDS)
    example = world.example(operation, arguments, random) if kind in {"example", "near"} else None
    if kind == "near" and example is not None:
        return Step(
            operation, arguments, world.confine(operation, near_miss(example, random)), kind=kind
        )
    if kind in {"example", "near"}:
        return Step(operation, arguments, world.confine(operation, example))
    parts = bodies.draw(operation, random, valid=kind == "valid")
    return Step(operation, arguments, world.confine(operation, parts.body), parts.query, kind)
