"""The tables of a run put where many runs are kept: as Iceberg tables of a catalog, or as Delta
tables that can be shared.

All rows of one run are replaced at once, so that landing it again changes nothing but what has
changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign import documents, run_metadata, tables
from lakepact.conformance.campaign.analysis import findings
from lakepact.conformance.campaign.paths import parquet
from lakepact.conformance.evidence.arrow import Schema, Table, pa

#: Tables of a run, and what they hold.
TABLES = {
    "campaigns": run_metadata.CAMPAIGNS,
    "cases": tables.CASES,
    "exchanges": tables.EXCHANGES,
    "interruptions": tables.INTERRUPTIONS,
    "results": tables.RESULTS,
    "answers": tables.ANSWERS,
    **findings.TABLES,
}
RUN = "run_id"
#: Properties of snapshots and versions, which make storing idempotent.
SAYS_RUN, SAYS_CONTENT = "lakepact.run", "lakepact.content"


@dataclass(frozen=True)
class Landed:
    """The result of storing one table."""

    table: str
    rows: int
    changed: bool  #: False where the same rows of this run were there already


@dataclass(frozen=True)
class Kept:
    """One table of one run, as its files hold it.

    Args:
        name: of the table.
        run_id: of the run, which is a column of every table that lands.
        folder: of its files.
    """

    name: str
    run_id: str
    folder: Path

    @property
    def schema(self) -> Schema:
        """Its columns, the run the first of them."""
        own = [field for field in TABLES[self.name] if field.name != RUN]
        return pa.schema([pa.field(RUN, tables.TEXT), *own])

    @property
    def digest(self) -> str:
        """Return a digest of a file; equal files have equal digests."""
        said = hashlib.sha256()
        for part in tables.parts(self.folder):
            with part.open("rb") as file:
                said.update(hashlib.file_digest(file, "sha256").digest())
        return said.hexdigest()[:16]

    @property
    def rows(self) -> int:
        """How many rows its files hold."""
        return sum(parquet(part).metadata.num_rows for part in tables.parts(self.folder))

    @property
    def reader(self) -> Any:
        """Its rows, some at a time, as a reader of Arrow."""
        return pa.RecordBatchReader.from_batches(
            self.schema, (batch for table in self._tables() for batch in table.to_batches())
        )

    def _tables(self) -> Iterator[Table]:
        for table in tables.batches(self.folder, TABLES[self.name]):
            run = pa.array([self.run_id] * table.num_rows, tables.TEXT)
            whole = table if RUN in table.column_names else table.append_column(RUN, run)
            yield whole.select(self.schema.names).cast(self.schema)


def kept(run: Path) -> list[Kept]:
    """Return the tables that a run has, its own row among them.

    Raises:
        LookupError: there is no run, or it was not judged.
    """
    said = documents.read(run / "run.json")
    if not (run / "coverage").is_dir():
        raise LookupError(
            f"{run} was not analysed: judge it first, then lakepact campaign report --run {run}"
        )
    run_metadata.write(run)
    return [Kept(name, said[RUN], run / name) for name in TABLES if tables.parts(run / name)]
