"""Listings of tables with very many files: CPU time of the first and of later listings, start of
the answer, and kept memory.

The tables are logs only; their data files do not exist and are never requested.
"""

from __future__ import annotations

import json
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from client_listings import client_listings

FILES = 100_000
COLUMNS = "abcde"
WARM = 15  #: repeated listings
READERS = 20
TOKEN = "bench"
PATH = "/delta-sharing/shares/bench/schemas/default/tables/{}/query"
ADD = pa.struct(
    [
        ("path", pa.string()),
        ("partitionValues", pa.map_(pa.string(), pa.string())),
        ("size", pa.int64()),
        ("modificationTime", pa.int64()),
        ("dataChange", pa.bool_()),
        ("stats", pa.string()),
    ]
)
END = b"\r\n0\r\n\r\n"


@dataclass(frozen=True)
class Answer:
    """The measured answer to a listing."""

    seconds: float  #: until the answer began
    size: int


def query(name: str, body: Any = None) -> bytes:
    """Return a request for the files of a table."""
    raw = json.dumps(body or {}).encode()
    head = f"POST {PATH.format(name)} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(raw)}\r\n\r\n".encode() + raw


def listing(port: int, name: str) -> Answer:
    """List a table to its end."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        begin = time.perf_counter()
        connection.sendall(query(name))
        piece = bytearray(1 << 20)
        count = connection.recv_into(piece)
        first_byte, size = time.perf_counter() - begin, count
        assert piece.startswith(b"HTTP/1.1 200"), bytes(piece[:500])
        last = bytes(piece[:count][-len(END) :])
        while last != END:
            count = connection.recv_into(piece)
            assert count, "the answer broke off"
            size += count
            last = (last + bytes(piece[:count][-len(END) :]))[-len(END) :]
        return Answer(first_byte, size)


def adds() -> Iterator[dict[str, Any]]:
    """Yield the add actions of a table."""
    chance = random.Random(1)
    for number in range(FILES):
        day = f"2024-01-{number % 28 + 1:02}"
        stats = {
            "numRecords": 1000,
            "minValues": dict.fromkeys(COLUMNS, number * 7),
            "maxValues": dict.fromkeys(COLUMNS, number * 9 + 5),
            "nullCount": dict.fromkeys(COLUMNS, 0),
        }
        yield {
            "path": f"date={day}/part-{number:05}-{chance.getrandbits(128):032x}-c000.snappy.parquet",
            "partitionValues": {"date": day},
            "size": 1000 + number,
            "modificationTime": 1_700_000_000_000 + number,
            "dataChange": True,
            "stats": json.dumps(stats, separators=(",", ":")),
        }


def head() -> list[dict[str, Any]]:
    """Return the protocol and metadata actions of the table."""
    fields = [{"name": name, "type": "long", "nullable": True, "metadata": {}} for name in COLUMNS]
    fields.append({"name": "date", "type": "string", "nullable": True, "metadata": {}})
    metadata = {
        "id": "5b5c7d8e-0000-4000-8000-000000000000",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": ["date"],
        "configuration": {},
    }
    return [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": metadata}]


def commit(log: Path, version: int, actions: list[dict[str, Any]]) -> None:
    """Write a commit."""
    (log / f"{version:020}.json").write_text(
        "".join(f"{json.dumps(action)}\n" for action in actions)
    )


def one_commit(log: Path) -> None:
    """Write all files in one commit."""
    commit(log, 0, [*head(), *({"add": add} for add in adds())])


def hundred_commits(log: Path) -> None:
    """Write the files in a hundred commits."""
    files = list(adds())
    for version in range(100):
        first = head() if version == 0 else []
        commit(
            log,
            version,
            [
                *first,
                *(
                    {"add": add}
                    for add in files[version * FILES // 100 : (version + 1) * FILES // 100]
                ),
            ],
        )


def checkpoint(log: Path, count: int = FILES) -> None:
    """Write all files in a checkpoint, without the commits before it."""
    (protocol,), (metadata,) = (
        [action[kind]] for action, kind in zip(head(), ("protocol", "metaData"), strict=True)
    )
    metadata = {
        name: value for name, value in metadata.items() if name not in {"configuration", "format"}
    }
    nothing = [None] * count
    columns = {
        "protocol": pa.array([protocol, None, *nothing]),
        "metaData": pa.array([None, metadata, *nothing]),
        "add": pa.array([None, None, *islice(adds(), count)], ADD),
    }
    pq.write_table(pa.table(columns), log / f"{0:020}.checkpoint.parquet")


def small_checkpoint(log: Path) -> None:
    """Write one file in a checkpoint."""
    checkpoint(log, 1)


def one_more_commit(log: Path) -> None:
    """Write a commit that removes a file and adds another."""
    removal, addition = islice(adds(), FILES // 2, FILES // 2 + 2)
    newest = max(int(path.name[:20]) for path in log.iterdir())
    commit(
        log,
        newest + 1,
        [
            {"remove": removal | {"deletionTimestamp": 1}},
            {"add": addition | {"path": f"again/{addition['path']}"}},
        ],
    )


SMALL = "small checkpoint"
TABLES: dict[str, Callable[[Path], None]] = {
    "one commit": one_commit,
    "hundred commits": hundred_commits,
    "checkpoint": checkpoint,
}


def shares_of(folder: Path) -> Path:
    """Write all tables and their shares file."""
    lines = [
        "version: 1",
        f"authorization: {{bearerToken: {TOKEN}}}",
        "shares:",
        "- name: bench",
        "  schemas:",
        "  - name: default",
    ]
    lines.append("    tables:")
    for name, write in (*TABLES.items(), (SMALL, small_checkpoint)):
        table = folder / name.replace(" ", "_")
        (table / "_delta_log").mkdir(parents=True)
        write(table / "_delta_log")
        lines.append(f"    - {{name: {table.name}, location: {table.as_uri()!r}}}")
    file = folder / "shares.yaml"
    file.write_text("\n".join(lines))
    return file


@contextmanager
def serving(shares: Path, core: int) -> Iterator[tuple[int, int]]:
    """Yield the process id and the port of a server before its first request."""
    command = [
        sys.executable,
        "-m",
        "lakepact.cli",
        "serve",
        "--port",
        "0",
        "--warehouse",
        "memory:",
        "--shares",
        str(shares),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if core >= 0:
            os.sched_setaffinity(process.pid, {core})
        assert process.stdout
        yield process.pid, int(process.stdout.readline().strip().rpartition(":")[2])
    finally:
        process.terminate()
        process.communicate()


def resident(pid: int) -> float:
    """Return the resident memory of a process in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def slow_readers(pid: int, port: int, name: str) -> float:
    """Return the memory in bytes of readers that request a listing and stop reading."""
    before = resident(pid)
    with ExitStack() as stack:
        readers = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            for _ in range(READERS)
        ]
        for reader in readers:
            reader.sendall(query(name))
        for reader in readers:
            reader.recv(1)
        time.sleep(1)  # until all buffers are full
        return resident(pid) - before


def listings(
    folder: Path, *, core: int, cpu_seconds: Callable[[int], float]
) -> Iterator[tuple[str, float, float]]:
    """Yield each measurement: a name with its unit, the value and its limit.

    Args:
        folder: the folder of the tables.
        core: the core of the server, -1 for any.
        cpu_seconds: returns the CPU seconds of a process.
    """
    shares = shares_of(folder)
    for name in TABLES:
        table = name.replace(" ", "_")
        with serving(shares, core) as (pid, port):
            if name == "checkpoint":
                before = cpu_seconds(pid)
                listing(port, "small_checkpoint")
                yield (
                    "the first checkpoint loads pyarrow, ms",
                    (cpu_seconds(pid) - before) * 1e3,
                    1300,
                )
            before, memory = cpu_seconds(pid), resident(pid)
            answer = listing(port, table)
            yield f"{name}: first listing, ms", (cpu_seconds(pid) - before) * 1e3, 1300
            again: list[float] = []
            begins: list[float] = []
            for _ in range(WARM):
                before = cpu_seconds(pid)
                begins.append(listing(port, table).seconds)
                again.append(cpu_seconds(pid) - before)
            yield f"{name}: listing again, ms", statistics.median(again) * 1e3, 80
            yield f"{name}: until it begins, ms", statistics.median(begins) * 1e3, 5
            yield f"{name}: memory for each file, bytes", (resident(pid) - memory) / FILES, 1500
            yield f"{name}: {READERS} slow readers, MB", slow_readers(pid, port, table) / 1e6, 20
            assert answer.size > 500 * FILES
            if name == "checkpoint":
                yield from client_listings(port, table, TOKEN)
            one_more_commit(folder / table / "_delta_log")
            before = cpu_seconds(pid)
            listing(port, table)
            yield (
                f"{name}: listing after one more commit, ms",
                (cpu_seconds(pid) - before) * 1e3,
                100,
            )
