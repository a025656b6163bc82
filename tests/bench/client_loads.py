"""CPU time of importing the client, of loads and listings, beside pyiceberg and in event loops,
alternating on the same server.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from functools import partial
from typing import TYPE_CHECKING, Any

from update_costs import MOVE_MAIN, NOW

from lakepact.client import AsyncIcebergCatalog, IcebergCatalog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS = 15
IMPORTS = 5
SNAPSHOTS = 1000
FEW_SNAPSHOTS = 16  #: of the small table, whose metadata has 12 KB then
COLUMNS = 50
NAMESPACE = "loads"
LISTED, TABLES = "listed", 5000
AT_ONCE = (1, 16, 64)  #: loads of an event loop
LOADS = 64  #: of one measurement


def client_loads(port: int) -> Iterator[tuple[str, float, float, float]]:
    """Yield each measurement: a name, the milliseconds of pyiceberg and of our client, and the
    least ratio of the two.
    """
    uri = f"http://127.0.0.1:{port}"
    post(f"{uri}/v1/namespaces", {"namespace": [NAMESPACE]})
    create_table(uri, "small", FEW_SNAPSHOTS)
    create_table(uri, "long", SNAPSHOTS)
    post(f"{uri}/v1/namespaces", {"namespace": [LISTED]})
    for number in range(TABLES):
        post(
            f"{uri}/v1/namespaces/{LISTED}/tables",
            {"name": f"orders_{number:05}", "schema": {"type": "struct", "fields": []}},
        )
    from pyiceberg.catalog.rest import RestCatalog  # noqa: PLC0415 - it takes a second to import

    theirs = RestCatalog("bench", uri=uri)
    gc.collect()
    # what the imports left would be searched again and again, and cost whoever allocates at that
    # moment
    gc.freeze()
    with IcebergCatalog(uri, cache_bytes=0) as ours, IcebergCatalog(uri) as caching:

        def every_snapshot() -> int:
            read = 0
            for snapshot in ours.load_table((NAMESPACE, "long")).metadata.snapshots:
                read += snapshot.timestamp_ms + len(
                    snapshot.summary.operation if snapshot.summary else ""
                )
            return read

        calls: list[tuple[str, str, Callable[[], Any], float]] = [
            ("load_table, 12 KB", "small", lambda: ours.load_table((NAMESPACE, "small")), 4),
            (
                f"load_table, {SNAPSHOTS:,} snapshots",
                "long",
                lambda: ours.load_table((NAMESPACE, "long")),
                4,
            ),
            (f"{SNAPSHOTS:,} snapshots, every one read", "long", every_snapshot, 2),
            (
                f"{SNAPSHOTS:,} snapshots, answered with 304",
                "long",
                lambda: caching.load_table((NAMESPACE, "long")),
                10,
            ),
        ]
        for name, table, call, least in calls:
            yield name, *compare(partial(theirs.load_table, (NAMESPACE, table)), call), least
        listing = compare(
            partial(theirs.list_tables, LISTED), lambda: list(ours.list_tables(LISTED))
        )
        yield f"list_tables, {TABLES:,} tables", *listing, 1.25


def loads_at_once(port: int) -> Iterator[tuple[str, float, float]]:
    """Yield each measurement: a name, and the milliseconds of a load in a thread and in an event
    loop; `client_loads` made the table.
    """
    uri = f"http://127.0.0.1:{port}"
    with (
        IcebergCatalog(uri, cache_bytes=0) as ours,
        asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner,
    ):
        catalog = AsyncIcebergCatalog(uri, cache_bytes=0)

        async def load(count: int) -> None:
            for _ in range(LOADS // count):
                await asyncio.gather(
                    *(catalog.load_table((NAMESPACE, "small")) for _ in range(count))
                )

        def each() -> None:
            for _ in range(LOADS):
                ours.load_table((NAMESPACE, "small"))

        for count in AT_ONCE:
            costs = compare(each, lambda count=count: runner.run(load(count)))
            yield (
                f"load_table, 12 KB, {count} at once",
                *(milliseconds / LOADS for milliseconds in costs),
            )
        runner.run(catalog.close())


def imports(statement: str) -> float:
    """Return the CPU seconds of a process that imports something, once it is compiled, as the
    median of several processes.
    """
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {
            name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
        }
        command = [sys.executable, "-c", f"import time; {statement}; print(time.process_time())"]
        run = partial(
            subprocess.run,
            command,
            capture_output=True,
            text=True,
            check=True,
            env={**environment, "PYTHONPYCACHEPREFIX": bytecode},
        )
        return statistics.median([float(run().stdout) for _ in range(IMPORTS + 1)][1:])


def compare(theirs: Callable[[], Any], ours: Callable[[], Any]) -> tuple[float, float]:
    """Return the CPU time of each, in milliseconds, as the median of alternating rounds."""
    rounds: tuple[list[float], list[float]] = ([], [])
    for number in range(ROUNDS + 1):
        for call, seconds in zip((theirs, ours), rounds, strict=True):
            before = time.process_time()
            for _ in range(5):
                call()
            if number:
                seconds.append((time.process_time() - before) / 5)
    first, second = (statistics.median(seconds) * 1e3 for seconds in rounds)
    return first, second


def create_table(uri: str, table: str, snapshots: int) -> None:
    """Create a table of 50 columns with so many snapshots, each with the summary of an append by
    Spark.
    """
    fields = [
        {"id": n, "name": f"column_{n}", "type": "string", "required": False}
        for n in range(1, COLUMNS + 1)
    ]
    created = post(
        f"{uri}/v1/namespaces/{NAMESPACE}/tables",
        {"name": table, "schema": {"type": "struct", "fields": fields}},
    )
    location = created["metadata"]["location"]
    additions = [
        {"action": "add-snapshot", "snapshot": snapshot(number, location)}
        for number in range(snapshots)
    ]
    post(
        f"{uri}/v1/namespaces/{NAMESPACE}/tables/{table}",
        {"requirements": [], "updates": [*additions, *MOVE_MAIN(snapshots)]},
    )


def snapshot(number: int, location: str) -> dict[str, Any]:
    """Return a snapshot of about 500 bytes of the table at a location."""
    counts = (
        "added-data-files",
        "added-records",
        "added-files-size",
        "changed-partition-count",
        "total-records",
        "total-files-size",
    )
    return {
        **({"parent-snapshot-id": number} if number else {}),
        "snapshot-id": number + 1,
        "sequence-number": number + 1,
        "timestamp-ms": NOW + number,
        "manifest-list": f"{location}/metadata/snap-{number}-1-{number:032x}.avro",
        "schema-id": 0,
        "summary": {
            "operation": "append",
            "spark.app.id": "local-1",
            **{name: str(number) for name in counts},
        },
    }


def post(url: str, body: dict[str, Any]) -> Any:
    """Send a body, and return the answer."""
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)
