"""Draws sequences: requests that follow each other in one corner, made before there is a target.

What a target would answer is rehearsed as far as the contract decides it; all that it chooses is named, and looked up when a sequence is
replayed. So the same steps are sent to every target, however differently these answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.campaign.planning.cases import READING
from lakepact.conformance.fuzz.near import near_miss
from lakepact.conformance.fuzz.steps import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from lakepact.conformance.exchanges import Reply
    from lakepact.conformance.fuzz import World
    from lakepact.conformance.fuzz.bodies import Bodies
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
        world: a corner that nobody has touched.
        random: decides.
        contract: what the steps are of.
        operations: to draw from; what matters more stands there more than once.
        bodies: what schemathesis makes.
        rehearsal: the answer to a step that is accepted, as far as the contract decides it.
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
        if contract.operations[step.operation].method not in READING or answer.exchange.parsed:
            world.learn(step, answer)
    return tuple(steps)


def _one(world: World, random: Random, *, operations: Sequence[OperationId], bodies: Bodies) -> Step:
    operation = random.choice(operations)
    arguments = world.arguments(operation, random)
    kind = random.choice(KINDS)
    example = world.example(operation, arguments, random) if kind in {"example", "near"} else None
    if kind == "near" and example is not None:
        return Step(operation, arguments, world.confined(operation, near_miss(example, random)), kind=kind)
    if kind in {"example", "near"}:
        return Step(operation, arguments, world.confined(operation, example))
    made = bodies.draw(operation, valid=kind == "valid")
    return Step(operation, arguments, world.confined(operation, made.body), made.query, kind)
