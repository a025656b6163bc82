"""Measured requests as bytes, to tables of given sizes."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

HEADERS = (
    "Host: 127.0.0.1\r\nUser-Agent: bench\r\nAccept: */*\r\nAccept-Encoding: gzip, deflate\r\nConnection: keep-alive\r\n"
    "Content-Type: application/json\r\nX-Client-Version: 0.14.1\r\nAuthorization: Bearer token\r\n"
    "X-Iceberg-Access-Delegation: vended-credentials\r\n"
)


@dataclass(frozen=True)
class Workload:
    """A kind of request, and the least share of bare ASGI's speed that the server must reach."""

    name: str
    requests: Callable[[], Iterator[bytes]]
    router: float | None  #: without the fast path
    fast: float | None  #: with the fast path
    warehouse: str = "memory:"


def request(method: str, path: str, body: Any = None) -> bytes:
    """Return a request as bytes."""
    raw = b"" if body is None else json.dumps(body).encode()
    length = f"Content-Length: {len(raw)}\r\n" if body is not None else ""
    return f"{method} {path} HTTP/1.1\r\n{HEADERS}{length}\r\n".encode() + raw


SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {
            "id": n,
            "name": f"column_{n}",
            "type": "string",
            "required": False,
            "doc": f"The column {n}.",
        }
        for n in range(1, 23)
    ],
}


def table(name: str) -> dict[str, Any]:
    """Return the creation of a table of 22 columns with one metadata-log entry, so that it does not
    grow.
    """
    return {
        "name": name,
        "schema": SCHEMA,
        "properties": {"write.metadata.previous-versions-max": "1", "owner": "bench"},
    }


def snapshots(count: int) -> dict[str, Any]:
    """Return a commit that adds snapshots to the main branch."""
    updates: list[dict[str, Any]] = []
    for number in range(1, count + 1):
        snapshot = {
            "snapshot-id": 7_000_000_000_000_000_000 + number,
            "sequence-number": number,
            "timestamp-ms": 1_760_000_000_000 + number,
            "manifest-list": f"memory:/bench/metadata/snap-{number:020}-0-0f8a2f4e-2a5b-4b0f-8f0e-000000000000.avro",
            "schema-id": 0,
            "summary": {
                "operation": "append",
                **{
                    f"{kind}-{what}": str(number * 1000)
                    for kind in ("added", "total")
                    for what in ("data-files", "records", "files-size")
                },
                "total-delete-files": "0",
                "total-position-deletes": "0",
                "total-equality-deletes": "0",
            },
        }
        if number > 1:
            snapshot["parent-snapshot-id"] = 7_000_000_000_000_000_000 + number - 1
        updates.append({"action": "add-snapshot", "snapshot": snapshot})
        reference = {"ref-name": "main", "type": "branch", "snapshot-id": snapshot["snapshot-id"]}
        updates.append({"action": "set-snapshot-ref", **reference})
    return {"requirements": [], "updates": updates}


#: Requests before the measurement: they create a table of about 12 KB and a table of about 300 KB.
PREPARATION = [
    request("POST", "/v1/namespaces", {"namespace": ["bench"]}),
    request("POST", "/v1/namespaces/bench/tables", table("small")),
    request("POST", "/v1/namespaces/bench/tables/small", snapshots(12)),
    request("POST", "/v1/namespaces/bench/tables", table("large")),
    request("POST", "/v1/namespaces/bench/tables/large", snapshots(510)),
]


def commits() -> Iterator[bytes]:
    """Yield commits of about 2 KB that always succeed and change no size."""
    requirements = [
        {"type": "assert-current-schema-id", "current-schema-id": 0},
        {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 22},
        {"type": "assert-default-spec-id", "default-spec-id": 0},
        {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 7_000_000_000_000_000_012},
    ]
    padding = {f"bench.property-{n:02}": "x" * 60 for n in range(15)}
    for number in itertools.count():
        updates = [
            {"action": "set-properties", "updates": {**padding, "bench.number": str(number)}},
            {"action": "remove-properties", "removals": ["bench.absent"]},
            {
                "action": "set-snapshot-ref",
                "ref-name": "tag",
                "type": "tag",
                "snapshot-id": 7_000_000_000_000_000_001 + number % 2,
            },
        ]
        yield request(
            "POST",
            "/v1/namespaces/bench/tables/small",
            {"requirements": requirements, "updates": updates},
        )


MADE_BEFORE = 4096  #: commits, made before the measurement
WRITERS = 8  #: concurrent writers, each with its own table
WRITERS_PREPARATION = [
    request("POST", "/v1/namespaces", {"namespace": ["bench"]}),
    *(
        request("POST", "/v1/namespaces/bench/tables", table(f"small{number}"))
        for number in range(WRITERS)
    ),
    *(
        request("POST", f"/v1/namespaces/bench/tables/small{number}", snapshots(12))
        for number in range(WRITERS)
    ),
]


def to_many_tables(writers: int) -> Iterator[bytes]:
    """Return different commits of 2 KB to one table after another, made before the measurement."""
    return itertools.cycle(_requests_by_table(writers))


@functools.cache
def _requests_by_table(writers: int) -> tuple[bytes, ...]:
    some = itertools.islice(commits(), MADE_BEFORE)
    tables = itertools.cycle(range(writers))
    return tuple(
        content.replace(b"/tables/small ", b"/tables/small%d " % number, 1)
        for number, content in zip(tables, some, strict=False)
    )


def namespaces() -> Iterator[bytes]:
    """Yield creations of new namespaces."""
    for number in itertools.count():
        body = {
            "namespace": [f"namespace-{number:08}"],
            "properties": {"owner": "bench", "comment": "made to see how fast it goes"},
        }
        yield request("POST", "/v1/namespaces", body)


def endlessly(content: bytes) -> Callable[[], Iterator[bytes]]:
    """Yield the same request endlessly."""
    return lambda: itertools.repeat(content)


WORKLOADS = [
    Workload(
        "loadTable 12 KB", endlessly(request("GET", "/v1/namespaces/bench/tables/small")), 0.75, 1.5
    ),
    Workload(
        "loadTable 300 KB",
        endlessly(request("GET", "/v1/namespaces/bench/tables/large")),
        0.75,
        1.0,
    ),
    Workload("commit 2 KB, memory", commits, 0.75, 0.75),
    Workload("createNamespace", namespaces, 0.75, 0.75),
    Workload("commit 2 KB, files", commits, None, None, warehouse="files"),
]
