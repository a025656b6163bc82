"""The writers of table files: Spark, with files per task, or this process."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self, TypeAlias

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
    word = uuid.uuid4().hex[:12]
    folder.mkdir(parents=True, exist_ok=True)
    return [
        Piece(shape, *cut, str(folder / f"{word}-{n:05d}.parquet"))
        for n, cut in enumerate(cuts(version, files))
    ]


def cuts(version: Version, files: int) -> Iterator[tuple[int, int]]:
    """Yield the first row of each file, and the row after its last."""
    files = max(1, min(files, version.count))
    return itertools.pairwise(version.first + version.count * n // files for n in range(files + 1))


def write_piece(piece: dict[str, Any]) -> int:
    """Write one piece; how many rows it has."""
    shape = SHAPES[piece["shape"]]
    with pq.ParquetWriter(piece["path"], shape.schema, compression="zstd") as file:
        for batch in shape.batches(piece["first"], piece["last"]):
            file.write_batch(batch)
    return int(piece["last"] - piece["first"])


class LocalWriter:
    """This process, one file after another."""

    name = "local"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def write(self, pieces: Sequence[Piece]) -> None:
        """Write pieces, each into the file that it names."""
        for piece in pieces:
            try:
                write_piece(asdict(piece))
            except OSError as wrong:
                raise CannotWrite(
                    f"{piece.path} cannot be written: {wrong.strerror or wrong}"
                ) from wrong


class OnSpark:
    """Spark, whose tasks write pieces side by side.

    Args:
        master: where it runs.
        confs: further settings, `KEY=VALUE`.
        remote: address of a Spark Connect server, in the place of `master`.

    Raises:
        CannotWrite: something that Spark needs is missing here.
    """

    name = "spark"

    def __init__(
        self, master: str, confs: Sequence[str] = (), *, remote: str | None = None
    ) -> None:
        from lakepact.conformance.campaign.engines.spark import Spark  # noqa: PLC0415 - writing without Spark needs neither
        from lakepact.conformance.campaign.errors import CannotRun  # noqa: PLC0415

        self._refusal = CannotRun
        try:
            self._spark = Spark(master, confs, remote=remote)
        except CannotRun as missing:
            raise CannotWrite(str(missing)) from missing

    def __enter__(self) -> Self:
        try:
            self._spark.__enter__()
        except self._refusal as wrong:
            raise CannotWrite(str(wrong)) from wrong
        return self

    def __exit__(self, *_: object) -> None:
        self._spark.__exit__()

    def write(self, pieces: Sequence[Piece]) -> None:
        """Write pieces, each into the file that it names."""
        table = pa.Table.from_pylist([asdict(piece) for piece in pieces], schema=PIECES)
        try:
            written = self._spark.mapped(table, written_batches, DONE, parts=len(pieces))
        except self._refusal as wrong:
            raise CannotWrite(str(wrong)) from wrong
        done = dict(
            zip(written.column("path").to_pylist(), written.column("rows").to_pylist(), strict=True)
        )
        short = [piece.path for piece in pieces if done.get(piece.path) != piece.last - piece.first]
        if short:
            raise CannotWrite(
                f"Spark did not write {short[0]}"
                + (f" and {len(short) - 1} more" if len(short) > 1 else "")
            )


#: Writes pieces, each into the file that it names, and raises `CannotWrite` if one is not there
#: afterwards.
Writer: TypeAlias = LocalWriter | OnSpark


def written_batches(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the pieces of Arrow record batches, written by the task that this is; yields how many
    rows each file has.
    """
    for batch in batches:
        rows = [{"path": piece["path"], "rows": write_piece(piece)} for piece in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist(rows, schema=DONE)
