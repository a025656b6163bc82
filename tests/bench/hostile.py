"""The longest requests that a server accepts: their cost, and how long another caller waits during
them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from operator import itemgetter
from typing import Any

from load import ask
from update_costs import ADD_SCHEMAS, ADD_SPECS, KINDS, SIZES, VIEW, Kind, schema, view_version
from workloads import request

EVERY = 0.005  #: seconds between two requests of the other caller
MOST = 0.1  #: seconds that the other caller may wait
ROUNDS = 3  #: of each measurement; the least counts, because other programs only add to it
LONGEST = 20.0  #: seconds until an unanswered attack is given up
ASKED = (request("GET", "/v1/config"), request("GET", "/v1/namespaces/bench/tables/small"))
TABLE = "/v1/namespaces/bench/tables/attacked"


def raw(path: str, body: bytes) -> bytes:
    """Return a request with a raw body."""
    return request("POST", path, "").replace(
        b"Content-Length: 2\r\n\r\n" + b'""', b"Content-Length: %d\r\n\r\n" % len(body) + body
    )


def commit(updates: list[dict[str, Any]]) -> bytes:
    """Return a commit to the attacked table."""
    return request("POST", TABLE, {"requirements": [], "updates": updates})


def array_members(item: bytes, size: int) -> bytes:
    """Return the members of an array of about `size` bytes."""
    return b",".join([item] * (size // (len(item) + 1)))


def nested(depth: int) -> dict[str, Any]:
    """Return a schema of lists within lists."""
    inner: Any = "int"
    for number in range(depth):
        inner = {
            "type": "list",
            "element-id": number + 2,
            "element-required": False,
            "element": inner,
        }
    return {
        "type": "struct",
        "schema-id": 0,
        "fields": [{"id": 1, "name": "deep", "type": inner, "required": False}],
    }


def wide(count: int) -> dict[str, Any]:
    fields = [
        {"id": number, "name": f"c{number}", "type": "string", "required": False}
        for number in range(1, count + 1)
    ]
    return {"type": "struct", "schema-id": 0, "fields": fields}


def huge_table(megabytes: int) -> list[bytes]:
    """Return requests that make a table with so much metadata, rename it and drop it."""
    tables, names = (
        "/v1/namespaces/bench/tables",
        [{"namespace": ["bench"], "name": name} for name in ("huge", "renamed")],
    )
    updates = [
        {"action": "set-properties", "updates": {str(n): "x" * 1_000_000}} for n in range(megabytes)
    ]
    return [
        request("POST", tables, {"name": "huge", "schema": schema(1)}),
        *(
            request("POST", f"{tables}/huge", {"requirements": [], "updates": updates[at : at + 7]})
            for at in range(0, megabytes, 7)
        ),
        request("POST", "/v1/tables/rename", {"source": names[0], "destination": names[1]}),
        request("DELETE", f"{tables}/renamed"),
    ]


REMOVE = b'{"action":"remove-snapshots","snapshot-ids":[1]}'
#: By name: the requests, one after the other.
ATTACKS: dict[str, Callable[[], list[bytes]]] = {
    "2,000 add-schema": lambda: [commit(ADD_SCHEMAS(2000))],
    "5,000 add-schema, three times": lambda: [
        commit(ADD_SCHEMAS(n)[-5000:]) for n in (5000, 10_000, 15_000)
    ],
    "small commits on 15,000 schemas": lambda: [
        commit([{"action": "set-properties", "updates": {"n": str(n)}}]) for n in range(10)
    ],
    "8,000 add-spec": lambda: [commit(ADD_SPECS(8000))],
    "a schema of 10,000 columns": lambda: [
        commit([{"action": "add-schema", "schema": wide(10_000)}])
    ],
    "20,000 remove-snapshots of one": lambda: [
        raw(TABLE, b'{"requirements":[],"updates":[%s]}' % array_members(REMOVE, 980_000))
    ],
    "100 schemas, nested 90 deep": lambda: [
        commit([{"action": "add-schema", "schema": nested(90)}] * 100)
    ],
    "7.5 MB of [[],[],…]": lambda: [raw(TABLE, b"[%s]" % array_members(b"[]", 7_500_000))],
    "149 KB of [[],[],…], 10 times": lambda: (
        [raw(TABLE, b"[%s]" % array_members(b"[]", 149_000))] * 10
    ),
    "149 KB of [[],[],…] in updates": lambda: (
        [raw(TABLE, b'{"requirements":[],"updates":[%s]}' % array_members(b"[]", 149_000))] * 10
    ),
    "7.5 MB of one text": lambda: [
        raw(TABLE, b'{"requirements":[],"updates":["%s"]}' % (b"x" * 7_500_000))
    ],
    "900 KB of members": lambda: [
        raw(
            "/v1/namespaces",
            b'{"namespace":["a"],"properties":{%s}}'
            % b",".join(b'"%d":""' % n for n in range(99_000)),
        )
    ],
    "400 KB of texts and an escape": lambda: [
        raw(
            "/v1/namespaces",
            b'{"namespace":["a"],"x":[%s],"y":"\\u0041"}' % array_members(b'"a"', 390_000),
        )
    ],
    "a table of 49 MB metadata, renamed": lambda: huge_table(49),
    "60 KB of add-schema, 20 times": lambda: [commit(ADD_SCHEMAS(450))] * 20,
}


def costs(
    server: Callable[[], AbstractContextManager[tuple[int, int]]],
    cpu_seconds: Callable[[int], float],
) -> Iterator[tuple[str, list[float]]]:
    """Yield each kind of commit with its CPU seconds by size, on a new table each time.

    Args:
        server: starts a server, and gives its process id and port.
        cpu_seconds: returns the CPU seconds of a process.
    """
    with server() as (pid, port):
        asyncio.run(ask(port, request("POST", "/v1/namespaces", {"namespace": ["costs"]})))
        for kind in KINDS:
            yield (
                kind.name,
                [
                    min(_cost(kind, size, pid, port, cpu_seconds) for _ in range(ROUNDS))
                    for size in SIZES
                ],
            )


def _cost(kind: Kind, size: int, pid: int, port: int, cpu_seconds: Callable[[int], float]) -> float:
    asyncio.run(ask(port, _creation(kind.path)))
    if kind.before:
        asyncio.run(
            ask(
                port, request("POST", kind.path, {"requirements": [], "updates": kind.before(size)})
            )
        )
    content = request("POST", kind.path, kind.commit(size))
    before = cpu_seconds(pid)
    asyncio.run(_answer(port, content))
    cost = cpu_seconds(pid) - before
    asyncio.run(ask(port, request("DELETE", kind.path)))
    return cost


def _creation(path: str) -> bytes:
    """Return the request that creates the table or view at a path."""
    if path == VIEW:
        version = {**view_version(-1)["view-version"], "version-id": 1}
        return request(
            "POST",
            "/v1/namespaces/costs/views",
            {"name": "v", "schema": schema(2), "view-version": version, "properties": {}},
        )
    return request("POST", "/v1/namespaces/costs/tables", {"name": "t", "schema": schema(2)})


def waits(
    server: Callable[[], AbstractContextManager[tuple[int, int]]],
) -> Iterator[tuple[str, int, float, float]]:
    """Yield for each attack its last status, its seconds, and another caller's longest wait during
    it.
    """
    with server() as (_, port):
        creation = request(
            "POST", "/v1/namespaces/bench/tables", {"name": "attacked", "schema": schema(1)}
        )
        asyncio.run(_answer(port, creation))
        yield "no attack", 0, *asyncio.run(_attack(port, []))[1:]
        for name, attack in ATTACKS.items():
            requests = attack()
            yield (
                name,
                *min(
                    (asyncio.run(_attack(port, requests)) for _ in range(ROUNDS)), key=itemgetter(2)
                ),
            )


async def _attack(port: int, attack: list[bytes]) -> tuple[int, float, float]:
    longest = 0.0
    end = asyncio.Event()

    async def other() -> None:
        nonlocal longest
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        number = 0
        while not end.is_set() or number < 100:
            begin = time.perf_counter()
            writer.write(ASKED[number % 2])
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(
                int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            )
            longest = max(longest, time.perf_counter() - begin)
            number += 1
            await asyncio.sleep(EVERY)
        writer.close()

    asking = asyncio.create_task(other())
    await asyncio.sleep(EVERY * 10)
    begin, status = time.perf_counter(), 0
    for content in attack:
        status = await asyncio.wait_for(_answer(port, content), LONGEST)
    took = time.perf_counter() - begin
    end.set()
    await asking
    return status, took, longest


async def _answer(port: int, content: bytes) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(content.replace(b"Connection: keep-alive", b"Connection: close", 1))
    answer = await reader.read()
    writer.close()
    return int(answer.split(b" ", 2)[1])
