"""Cases that end with reads of all named objects, so that the effect of a request is compared."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from lakepact.conformance.campaign.planning.cases import (
    SEQUENCE,
    case_of,
    fingerprint,
    row_of,
    text_of,
)
from lakepact.conformance.fuzz.steps import Learned, Step
from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import Contract, Operation

Row = dict[str, Any]

EXAMPLE = "example"
MOST = 16  #: reads of a case
PAGE = (("pageToken", ""), ("pageSize", "1"))


def with_reads(row: Row) -> Row:
    """Return a case with a compared setup and reads at the end; it creates objects twice, for
    listings in pages.

    Args:
        row: a case that is no check.
    """
    case, (contract, sha256, reading) = case_of(row), _contract_facts(row["contract"])
    setup, steps = case.setup, case.steps
    if (
        case.mode == EXAMPLE and case.seed % 2 == 0
    ):  # half of the requests without a body are about what the setup creates
        by_path = {
            frozenset(arguments): arguments
            for step in case.setup
            for arguments in _objects_of(step, contract)
        }
        steps = tuple(
            step
            if step.body
            else replace(step, arguments=by_path.get(frozenset(step.arguments), step.arguments))
            for step in steps
        )
        if contract.operations[steps[0].operation].method == "DELETE":  # of what is empty
            setup = tuple(
                step
                for step in setup
                if [*_objects_of(step, contract)][-1].items() <= steps[0].arguments.items()
            )
    if case.mode != SEQUENCE:
        steps += tuple(twin for step in steps for twin in _twins(step, contract))
    objects = {
        text_of(arguments): arguments
        for step in (*setup, *steps)
        for arguments in _objects_of(step, contract)
    }
    reads = itertools.islice(
        (read for arguments in objects.values() for read in _reads(arguments, reading)), MOST
    )
    whole = row_of(
        replace(case, mode=SEQUENCE, setup=(), steps=(*setup, *steps, *reads)), contract, sha256
    )
    return {**row, **{name: whole[name] for name in ("case_id", "setup", "request", "mutates")}}


@cache
def _contract_facts(name: str) -> tuple[Contract, str, tuple[Operation, ...]]:
    """Return a contract, its hash, and the operations that read."""
    suite = suites.load(name)
    operations = [
        suite.contract.operations.get(operation)
        for operation in dict.fromkeys(suite.fuzz.operations if suite.fuzz else ())
    ]
    return (
        suite.contract,
        fingerprint(suite.contract),
        tuple(each for each in operations if each and each.method == "GET"),
    )


def _objects_of(step: Step, contract: Contract) -> Iterator[Mapping[str, Any]]:
    """Yield the path arguments of the objects that a request names in its path, or in its body."""
    yield step.arguments
    for argument, member in _created(step, contract):
        yield from ({**step.arguments, argument: name} for name in _names(step.body[member]))
    for value in step.body.values() if isinstance(step.body, dict) else ():
        if isinstance(value, dict):
            places = itertools.product(
                _names(value.get("namespace")), _names(value.get("name")), ("table", "view")
            )
            yield from (
                {"namespace": namespace, argument: name} for namespace, name, argument in places
            )


def _twins(step: Step, contract: Contract) -> Iterator[Step]:
    """Yield a request that creates a sibling of what a request creates."""
    for _, member in _created(step, contract):
        for name in _names(step.body[member]):
            *above, last = (name,) if isinstance(name, str) else name
            if isinstance(last, str):
                yield replace(
                    step,
                    body={
                        **step.body,
                        member: [*above, f"{last}_2"] if isinstance(name, tuple) else f"{last}_2",
                    },
                )


def _created(step: Step, contract: Contract) -> Iterator[tuple[str, str]]:
    """Yield the argument for which a request creates a value below its path, and the member of its
    body that names it.
    """
    path = contract.operations[step.operation].path
    for argument in ("namespace", "table", "view"):
        member = next(
            (
                name
                for name in (argument, "name")
                if isinstance(step.body, dict) and name in step.body
            ),
            "",
        )
        if member and path.endswith(f"/{argument}s"):
            yield argument, member


def _names(value: Any) -> Iterator[str | tuple[str | Learned, ...]]:
    """Yield the name in a body, in the form of path arguments; nothing for another type."""
    if isinstance(value, str) and value:
        yield value
    if (
        isinstance(value, list)
        and value
        and all(isinstance(level, (str, Learned)) for level in value)
    ):
        yield tuple(value)


def _reads(arguments: Mapping[str, Any], reading: tuple[Operation, ...]) -> Iterator[Step]:
    """Yield the reads of exactly these arguments; of a namespace also the listing of its
    children.
    """
    for operation in reading:
        path = {p.argument for p in operation.parameters if p.where == "path"} - {"prefix"}
        query = {p.name for p in operation.parameters if p.where == "query"}
        pages = PAGE if "pageToken" in query else ()
        if path and path == set(arguments):
            yield Step(operation.id, arguments, None, pages)
        elif not path and set(arguments) == {"namespace"} and "parent" in query:
            yield Step(operation.id, {"parent": arguments["namespace"]}, None, pages)
