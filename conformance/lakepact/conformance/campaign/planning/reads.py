"""Cases that end with reads of everything that their requests name, so that the effect of a request is compared too."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from lakepact.conformance.campaign.planning.cases import SEQUENCE, case_of, fingerprint, row_of, text_of
from lakepact.conformance.fuzz.steps import Learned, Step
from lakepact.conformance.running import suite as suites

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lakepact.generated.contract import Contract, Operation

    Row = dict[str, Any]

EXAMPLE = "example"
MOST = 16  #: reads of a case
PAGE = (("pageToken", ""), ("pageSize", "1"))


def with_reads(row: Row) -> Row:
    """Return a case whose setup is compared as well, followed by reads; what it creates is created twice, for listings in pages.

    Args:
        row: a case that is no check.
    """
    contract, sha256, reading = _known(row["contract"])
    case = case_of(row)
    if case.mode == EXAMPLE and case.seed % 2 == 0:  # half of the requests without a body are about what the setup creates
        made = {frozenset(arguments): arguments for step in case.setup for arguments in _named(step, contract, reading)}
        case = replace(case, steps=tuple(_about(made, step) for step in case.steps))
    twins = () if case.mode == SEQUENCE else (twin for step in case.steps for twin in _twins(step, contract, reading))
    steps = (*case.setup, *case.steps, *twins)
    named = {text_of(arguments): arguments for step in steps for arguments in _named(step, contract, reading)}
    reads = itertools.islice((read for arguments in named.values() for read in _reads(arguments, reading)), MOST)
    whole = row_of(replace(case, mode=SEQUENCE, setup=(), steps=(*steps, *reads)), contract, sha256)
    return {**row, **{name: whole[name] for name in ("case_id", "setup", "request", "mutates")}}


@cache
def _known(name: str) -> tuple[Contract, str, tuple[Operation, ...]]:
    """Return a contract, its hash, and the operations that read."""
    suite = suites.load(name)
    sent = dict.fromkeys(suite.fuzz.operations if suite.fuzz else ())
    known = (suite.contract.operations[operation] for operation in sent if operation in suite.contract.operations)
    return suite.contract, fingerprint(suite.contract), tuple(operation for operation in known if operation.method == "GET")


def _named(step: Step, contract: Contract, reading: tuple[Operation, ...]) -> Iterator[Mapping[str, Any]]:
    """Yield the path arguments of what a request names: in its path, below it by a name in its body, or by identifiers in its body."""
    yield step.arguments
    body = step.body if isinstance(step.body, dict) else {}
    for argument, member in _creates(step, contract, reading):
        yield from ({**step.arguments, argument: name} for name in _names(body[member]))
    for argument in {last for read in reading if (last := _last(read)) not in {"", "namespace"}}:
        for held in [held for held in body.values() if isinstance(held, dict)]:
            yield from ({"namespace": one, argument: name} for one in _names(held.get("namespace")) for name in _names(held.get("name")))


def _about(made: Mapping[frozenset[str], Mapping[str, Any]], step: Step) -> Step:
    return step if step.body is not None else replace(step, arguments=made.get(frozenset(step.arguments), step.arguments))


def _twins(step: Step, contract: Contract, reading: tuple[Operation, ...]) -> Iterator[Step]:
    """Yield a request that creates a sibling of what a request creates."""
    for _, member in _creates(step, contract, reading):
        name = step.body[member]
        if isinstance(name, str):
            yield replace(step, body={**step.body, member: f"{name}_2"})
        elif isinstance(name, list) and len(name) > 1 and isinstance(name[-1], str):
            yield replace(step, body={**step.body, member: [*name[:-1], f"{name[-1]}_2"]})


def _creates(step: Step, contract: Contract, reading: tuple[Operation, ...]) -> Iterator[tuple[str, str]]:
    """Yield the argument for which a request creates a value below its path, and the member of its body that names it."""
    path = contract.operations[step.operation].path
    for read in reading:
        argument = _last(read)
        member = next((name for name in (argument, "name") if isinstance(step.body, dict) and name in step.body), "")
        if argument and member and read.path == f"{path}/{{{argument}}}":
            yield argument, member


def _last(read: Operation) -> str:
    """Return the argument that ends a path; empty if a constant does."""
    last = read.path.rpartition("/")[2]
    return last.strip("{}") if last.startswith("{") else ""


def _names(value: Any) -> Iterator[str | tuple[str | Learned, ...]]:
    """Yield a name in a body as a path has it; nothing of another type."""
    if isinstance(value, str) and value:
        yield value
    if isinstance(value, list) and value and all(isinstance(level, (str, Learned)) for level in value):
        yield tuple(value)


def _reads(arguments: Mapping[str, Any], reading: tuple[Operation, ...]) -> Iterator[Step]:
    """Yield the reads of exactly these arguments; of a namespace also the listing of its children."""
    for operation in reading:
        path = {p.argument for p in operation.parameters if p.where == "path"} - {"prefix"}
        query = {p.name for p in operation.parameters if p.where == "query"}
        pages = PAGE if {name for name, _ in PAGE} <= query else ()
        if path and path == arguments.keys():
            yield Step(operation.id, arguments, None, pages)
        elif not path and arguments.keys() == {"namespace"} and "parent" in query:
            yield Step(operation.id, {"parent": arguments["namespace"]}, None, pages)
