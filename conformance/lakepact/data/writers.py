"""The writers of table files: Spark, with files per task, or this process."""

from __future__ import annotations

import contextlib
import itertools
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from lakepact.conformance.evidence.arrow import pa, pq
from lakepact.data.shapes import SHAPES
from lakepact.data.truth import Version

PIECES = pa.schema(
    [("shape", pa.string()), ("first", pa.int64()), ("last", pa.int64()), ("path", pa.string())]
)
DONE = pa.schema([("path", pa.string()), ("rows", pa.int64())])


class CannotWrite(Exception):
    """Files cannot be written; the message says why, and what to do."""


@dataclass(frozen=True)
class Piece:
    """Rows that go into one file, as a row of `PIECES`."""

    shape: str
    first: int
    last: int
    path: str


def pieces(shape: str, version: Version, folder: Path, *, files: int) -> list[Piece]:
    """Return rows cut into files of about one size, with names that no other file has."""
    prefix = uuid.uuid4().hex[:12]
    folder.mkdir(parents=True, exist_ok=True)
    return [
        Piece(shape, *cut, str(folder / f"{prefix}-{n:05d}.parquet"))
        for n, cut in enumerate(cuts(version, files))
    ]


def cuts(version: Version, files: int) -> Iterator[tuple[int, int]]:
    """Yield the first row of each file, and the row after its last."""
    files = max(1, min(files, version.count))
    return itertools.pairwise(version.first + version.count * n // files for n in range(files + 1))


def write_piece(piece: dict[str, Any]) -> int:
    """Write one piece; return the number of its rows."""
    shape = SHAPES[piece["shape"]]
    with pq.ParquetWriter(piece["path"], shape.schema, compression="zstd") as file:
        for batch in shape.batches(piece["first"], piece["last"]):
            file.write_batch(batch)
    return int(piece["last"] - piece["first"])


#: Writes pieces, each into the file that it names, and raises an error if a file is missing.
Writer: TypeAlias = Callable[[Sequence[Piece]], None]


def write_here(pieces: Sequence[Piece]) -> None:
    """Write pieces in this process, one after another."""
    for piece in pieces:
        write_piece(asdict(piece))


@contextlib.contextmanager
def on_spark(master: str, confs: Sequence[str], *, remote: str | None) -> Generator[Writer]:
    """Yield a writer on Spark, whose tasks write pieces concurrently.

    Args:
        master: The address of its master.
        confs: Further settings, `KEY=VALUE`.
        remote: Address of a Spark Connect server, in the place of `master`.

    Raises:
        CannotRun: Something that Spark needs is missing here.
    """
    from lakepact.conformance.campaign.engines.spark import Spark  # noqa: PLC0415 - writing without Spark needs it not

    with Spark(master, confs, remote=remote) as spark:

        def write(pieces: Sequence[Piece]) -> None:
            table = pa.Table.from_pylist([asdict(piece) for piece in pieces], schema=PIECES)
            counts = spark.map_rows(table, write_batches, DONE, parts=len(pieces)).to_pylist()
            rows = {each["path"]: each["rows"] for each in counts}
            short = [each.path for each in pieces if rows.get(each.path) != each.last - each.first]
            if short:
                raise CannotWrite(
                    f"Spark did not write {len(short)} of {len(pieces)} files, such as {short[0]}"
                )

        yield write


def write_batches(batches: Iterable[Any]) -> Iterator[Any]:
    """Write the pieces of record batches in a task of Spark; yield the rows of each file."""
    for batch in batches:
        rows = [{"path": piece["path"], "rows": write_piece(piece)} for piece in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist(rows, schema=DONE)
