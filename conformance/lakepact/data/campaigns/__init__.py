"""The tables of a run, added to those of other runs: to Iceberg tables of a catalog, or to Delta
tables that can be shared.

One snapshot or version replaces all rows of a run, so that a run may land again.
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
    is_new: bool  #: False where the same rows of this run were there already


@dataclass(frozen=True)
class RunTable:
    """One table of one run.

    Args:
        name: of the table.
        run_id: of the run; a column of every landed table.
        folder: of its files.
    """

    name: str
    run_id: str
    folder: Path

    @property
    def schema(self) -> Schema:
        """Its columns; the first one is the run."""
        own = [field for field in TABLES[self.name] if field.name != RUN]
        return pa.schema([pa.field(RUN, tables.TEXT), *own])

    @property
    def digest(self) -> str:
        """The digest of its files; equal tables have equal digests."""
        digest = hashlib.sha256()
        for part in tables.parts(self.folder):
            with part.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()[:16]

    @property
    def rows(self) -> int:
        """The number of its rows."""
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


def run_tables(run: Path) -> list[RunTable]:
    """Return the tables of a run, its own row among them.

    Raises:
        LookupError: there is no run, or it has no verdicts.
    """
    run_document = documents.read(run / "run.json")
    if not (run / "coverage").is_dir():
        raise LookupError(
            f"{run} was not analysed: judge it first, then lakepact campaign report --run {run}"
        )
    run_metadata.write(run)
    return [
        RunTable(name, run_document[RUN], run / name) for name in TABLES if tables.parts(run / name)
    ]
