"""Catalogs with very many names beside one with few: what the server computes for one answer must not tell them apart."""

from __future__ import annotations

import asyncio
import itertools
import random
import statistics
from contextlib import ExitStack
from typing import TYPE_CHECKING

from load import load
from workloads import SCHEMA, request

from lakepact.reference_server.http.paging import token
from lakepact.reference_server.iceberg_rest.catalog import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from lakepact.reference_server.service import Service

MANY = 100_000
FEW = 10
TABLES_EACH = 1000  #: tables of a namespace, where there are many
PAGE = 100
MOST = 1.2  #: times what few names cost
MOST_OF_A_PAGE = 2.0  #: a hundred records from anywhere in memory; looking at all of them would be a thousand times
WARM_UP = 0.3  #: seconds


def fill(served: Service, names: int) -> None:
    """Give a catalog so many tables, namespaces at the top, and namespaces below one of them; at least enough for a page."""
    make, make_table = served.handlers["createNamespace"], served.handlers["createTable"]
    for number in range(-(-names // TABLES_EACH)):
        make(body={"namespace": [f"tables-{number}"]})
    schema = {**SCHEMA, "fields": SCHEMA["fields"][:3]}
    for number in range(names):
        make_table(namespace=f"tables-{number // TABLES_EACH}", body={"name": f"t{number}", "schema": schema})
    for number in range(listed(names)):
        make(body={"namespace": [f"n{number:06}"]})
    make(body={"namespace": ["parent"]})
    for number in range(listed(names)):
        make(body={"namespace": ["parent", f"n{number:06}"]})


def listed(names: int) -> int:
    """Return how many namespaces stand beside each other."""
    return max(names, 3 * PAGE)


def _path(number: int) -> str:
    return f"/v1/namespaces/tables-{number // TABLES_EACH}/tables/t{number}"


def loads(names: int) -> Iterator[bytes]:
    """Yield any table."""
    anyone = random.Random(1)
    while True:
        yield request("GET", _path(anyone.randrange(names)))


def commits(names: int) -> Iterator[bytes]:
    """Yield any table gets a property, and loses what it remembers of former files, so that it does not grow while it is measured."""
    anyone = random.Random(1)
    for number in itertools.count():
        updates = {"number": str(number), "write.metadata.previous-versions-max": "1"}
        body = {"requirements": [], "updates": [{"action": "set-properties", "updates": updates}]}
        yield request("POST", _path(anyone.randrange(names)), body)


def renames(names: int) -> Iterator[bytes]:
    """Yield any table gets another name, and then its own again."""
    anyone = random.Random(1)
    while True:
        number = anyone.randrange(names)
        here = {"namespace": [f"tables-{number // TABLES_EACH}"], "name": f"t{number}"}
        there = {**here, "name": f"u{number}"}
        yield request("POST", "/v1/tables/rename", {"source": here, "destination": there})
        yield request("POST", "/v1/tables/rename", {"source": there, "destination": here})


def pages(parent: str) -> Callable[[int], Iterator[bytes]]:
    """Return any page of namespaces, at the top or below a parent."""

    def asked(names: int) -> Iterator[bytes]:
        anyone = random.Random(1)
        while True:
            behind = token(f"namespaces{SEPARATOR}{parent}", f"n{anyone.randrange(listed(names) - 2 * PAGE):06}")
            yield request("GET", f"/v1/namespaces?pageSize={PAGE}&pageToken={behind}{f'&parent={parent}' if parent else ''}")

    return asked


def children(_: int) -> Iterator[bytes]:
    """A namespace beside the others is made, and is dropped, being empty."""
    while True:
        yield request("POST", "/v1/namespaces", {"namespace": ["parent", "own"]})
        yield request("DELETE", "/v1/namespaces/parent%1Fown")


#: By name: the requests, and how many times what few names cost they may.
WORKLOADS: dict[str, tuple[Callable[[int], Iterator[bytes]], float]] = {
    "loadTable": (loads, MOST),
    "commit": (commits, MOST),
    "renameTable": (renames, MOST),
    "a page of namespaces": (pages(""), MOST_OF_A_PAGE),
    "a page of namespaces below another": (pages("parent"), MOST_OF_A_PAGE),
    "createNamespace and dropNamespace beside them": (children, MOST),
}


def scaling(
    server: Callable[..., AbstractContextManager[tuple[int, int]]], computed: Callable[[int], float], *, seconds: float, rounds: int
) -> Iterator[tuple[str, float, float, float]]:
    """For each workload what one answer costs with few names and with many, in seconds, and how many times that may be.

    Args:
        server: starts a server with so many names, and gives its process id and port.
        computed: the seconds that a process has computed.
        seconds: the length of one measurement.
        rounds: how many there are.
    """
    with ExitStack() as stack:
        measured = [(names, *stack.enter_context(server(names))) for names in (FEW, MANY)]
        for name, (requests, most) in WORKLOADS.items():
            costs: dict[int, list[float]] = {FEW: [], MANY: []}
            asked = {names: requests(names) for names in costs}
            for number in range(rounds + 1):
                for names, pid, port in measured if number % 2 else reversed(measured):
                    before = computed(pid)
                    answers = asyncio.run(load(port, asked[names], seconds=seconds if number else WARM_UP, connections=1))
                    if number:
                        costs[names].append((computed(pid) - before) / answers)
            yield name, statistics.median(costs[FEW]), statistics.median(costs[MANY]), most
