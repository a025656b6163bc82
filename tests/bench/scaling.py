"""CPU time of an answer in catalogs with many and with few names, which must not differ."""

from __future__ import annotations

import asyncio
import itertools
import random
import statistics
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack

from load import load
from workloads import SCHEMA, request

from lakepact.reference_server.http.paging import token
from lakepact.reference_server.http.service import Service
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR

MANY = 100_000
FEW = 10
TABLES_EACH = 1000  #: tables per namespace
PAGE = 100
MOST = 1.2  #: times the cost with few names
#: a page reads a hundred records from anywhere in memory; a full scan would cost a thousand times
MOST_OF_A_PAGE = 2.0
WARM_UP = 0.3  #: seconds


def fill(catalog_service: Service, names: int) -> None:
    """Create `names` tables, top-level namespaces and child namespaces; at least one page of
    each.
    """
    make, make_table = (
        catalog_service.handlers["createNamespace"],
        catalog_service.handlers["createTable"],
    )
    for number in range(-(-names // TABLES_EACH)):
        make(body={"namespace": [f"tables-{number}"]})
    schema = {**SCHEMA, "fields": SCHEMA["fields"][:3]}
    for number in range(names):
        make_table(
            namespace=f"tables-{number // TABLES_EACH}",
            body={"name": f"t{number}", "schema": schema},
        )
    for number in range(sibling_count(names)):
        make(body={"namespace": [f"n{number:06}"]})
    make(body={"namespace": ["parent"]})
    for number in range(sibling_count(names)):
        make(body={"namespace": ["parent", f"n{number:06}"]})


def sibling_count(names: int) -> int:
    """Return the number of sibling namespaces."""
    return max(names, 3 * PAGE)


def _path(number: int) -> str:
    return f"/v1/namespaces/tables-{number // TABLES_EACH}/tables/t{number}"


def loads(names: int) -> Iterator[bytes]:
    """Yield loads of random tables."""
    anyone = random.Random(1)
    while True:
        yield request("GET", _path(anyone.randrange(names)))


def commits(names: int) -> Iterator[bytes]:
    """Yield commits of a property to random tables, with an empty metadata log, so that tables do
    not grow.
    """
    anyone = random.Random(1)
    for number in itertools.count():
        updates = {"number": str(number), "write.metadata.previous-versions-max": "1"}
        body = {"requirements": [], "updates": [{"action": "set-properties", "updates": updates}]}
        yield request("POST", _path(anyone.randrange(names)), body)


def renames(names: int) -> Iterator[bytes]:
    """Yield renames of random tables, there and back."""
    anyone = random.Random(1)
    while True:
        number = anyone.randrange(names)
        here = {"namespace": [f"tables-{number // TABLES_EACH}"], "name": f"t{number}"}
        there = {**here, "name": f"u{number}"}
        yield request("POST", "/v1/tables/rename", {"source": here, "destination": there})
        yield request("POST", "/v1/tables/rename", {"source": there, "destination": here})


def pages(parent: str) -> Callable[[int], Iterator[bytes]]:
    """Return a function that yields requests for random pages of namespaces, at the top or below a
    parent.
    """

    def page_requests(names: int) -> Iterator[bytes]:
        anyone = random.Random(1)
        while True:
            behind = token(
                f"namespaces{SEPARATOR}{parent}",
                f"n{anyone.randrange(sibling_count(names) - 2 * PAGE):06}",
            )
            yield request(
                "GET",
                f"/v1/namespaces?pageSize={PAGE}&pageToken={behind}{f'&parent={parent}' if parent else ''}",
            )

    return page_requests


def children(_: int) -> Iterator[bytes]:
    """Yield creations and drops of an empty sibling namespace."""
    while True:
        yield request("POST", "/v1/namespaces", {"namespace": ["parent", "own"]})
        yield request("DELETE", "/v1/namespaces/parent%1Fown")


#: By name: the requests, and the limit of their cost as a ratio to the cost with few names.
WORKLOADS: dict[str, tuple[Callable[[int], Iterator[bytes]], float]] = {
    "loadTable": (loads, MOST),
    "commit": (commits, MOST),
    "renameTable": (renames, MOST),
    "a page of namespaces": (pages(""), MOST_OF_A_PAGE),
    "a page of namespaces below another": (pages("parent"), MOST_OF_A_PAGE),
    "createNamespace and dropNamespace beside them": (children, MOST),
}


def scaling(
    server: Callable[..., AbstractContextManager[tuple[int, int]]],
    cpu_seconds: Callable[[int], float],
    *,
    seconds: float,
    rounds: int,
) -> Iterator[tuple[str, float, float, float]]:
    """Yield for each workload the CPU seconds of an answer with few and with many names, and the
    limit of their ratio.

    Args:
        server: starts a server with a number of names, and yields its process id and port.
        cpu_seconds: returns the CPU seconds of a process.
        seconds: the length of one measurement.
        rounds: the number of measurements.
    """
    with ExitStack() as stack:
        servers = [(names, *stack.enter_context(server(names))) for names in (FEW, MANY)]
        for name, (requests, most) in WORKLOADS.items():
            costs: dict[int, list[float]] = {FEW: [], MANY: []}
            streams = {names: requests(names) for names in costs}
            for number in range(rounds + 1):
                for names, pid, port in servers if number % 2 else reversed(servers):
                    before = cpu_seconds(pid)
                    answers = asyncio.run(
                        load(
                            port,
                            streams[names],
                            seconds=seconds if number else WARM_UP,
                            connections=1,
                        )
                    )
                    if number:
                        costs[names].append((cpu_seconds(pid) - before) / answers)
            yield name, statistics.median(costs[FEW]), statistics.median(costs[MANY]), most
