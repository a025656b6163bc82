"""The tables of a campaign: Parquet files in a folder a table, which any engine can read.

PLAN/plan.json  PLAN/cases/ RUN/run.json    RUN/cases/  RUN/exchanges/  RUN/journal/
RUN/interruptions/  RUN/results/  RUN/answers/
                RUN/coverage/  RUN/divergences/  RUN/regressions/
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign.paths import is_local, parquet
from lakepact.conformance.evidence.arrow import Schema, Table, pa, pq

TEXT, WHOLE, NUMBER, YES_NO, BYTES = pa.string(), pa.int64(), pa.int32(), pa.bool_(), pa.binary()
PAIRS = pa.list_(pa.struct([("name", TEXT), ("value", TEXT)]))
TIME = pa.timestamp("us", tz="UTC")
AT_ONCE = 10_000  #: rows that are held in memory
NUMBERED = re.compile(
    r"(.+?)-(\d{6})(?:-(\d{6}))?\.parquet"
)  #: a batch of a worker, or a merged file with its first and last batch


def schema_of(**columns: Any) -> Schema:
    """Return the schema of a table from the types of its columns."""
    return pa.schema(list(columns.items()))


CASES = schema_of(
    number=WHOLE,
    case_id=TEXT,
    contract=TEXT,
    operation_id=TEXT,
    mode=TEXT,
    seed=WHOLE,
    method=TEXT,
    path_template=TEXT,
    mutates=YES_NO,  # or has nothing to prepare: it gets objects of its own
    alone=YES_NO,  # nothing else is sent to the target at the same time
    setup=TEXT,
    request=TEXT,  # one step, those of a sequence, or the name of a check
)
#: Verdicts of checks; they cannot be judged again from exchanges alone.
SAID = pa.list_(
    pa.struct(
        [
            ("check_id", TEXT),
            ("requirement_id", TEXT),
            ("verdict", TEXT),
            ("expected", TEXT),
            ("observed", TEXT),
            ("step", NUMBER),
        ]
    )
)
EXCHANGES = schema_of(
    run_id=TEXT,
    exchange_id=TEXT,
    target=TEXT,
    contract=TEXT,
    case_id=TEXT,
    step=NUMBER,  # of a sequence or a check; every case has its step 0, which lands with all others
    number=WHOLE,
    operation_id=TEXT,
    mode=TEXT,
    word=TEXT,  # what the names in it begin with; another one at each start
    state=TEXT,
    reason=TEXT,
    tries=NUMBER,
    started_at=TIME,
    latency_us=WHOLE,
    http_status=NUMBER,
    method=TEXT,
    url=TEXT,
    accepts=TEXT,
    authorized=YES_NO,  # whether a secret was sent
    request_headers=PAIRS,
    request_body=BYTES,
    response_headers=PAIRS,
    response_body=BYTES,
    response_bytes=WHOLE,
    response_truncated=YES_NO,
    response_sha256=TEXT,
    pages=pa.list_(TEXT),  # bodies of the pages that follow in a listing
    said=SAID,  # at step 0 of a check
)
INTERRUPTIONS = schema_of(
    run_id=TEXT, target=TEXT, case_id=TEXT, word=TEXT, verdict=TEXT, reason=TEXT
)
RESULTS = schema_of(
    run_id=TEXT,
    target=TEXT,
    contract=TEXT,
    case_id=TEXT,
    step=NUMBER,
    operation_id=TEXT,
    mode=TEXT,
    check_id=TEXT,
    requirement_id=TEXT,
    level=TEXT,
    verdict=TEXT,
    expected=TEXT,
    observed=TEXT,
    http_status=NUMBER,
)
ANSWERS = schema_of(
    run_id=TEXT,
    target=TEXT,
    contract=TEXT,
    case_id=TEXT,
    step=NUMBER,
    operation_id=TEXT,
    mode=TEXT,
    state=TEXT,
    status=TEXT,
    error_type=TEXT,
    body=TEXT,
    header=TEXT,
)
#: Answers with what was said of them, as judges on executors hand them over.
JUDGED = pa.schema([*ANSWERS, ("verdicts", pa.list_(pa.struct(list(RESULTS))))])


def table_of(rows: Iterable[Mapping[str, Any]], schema: Schema) -> Table:
    """Return rows as an Arrow table."""
    return pa.Table.from_pylist(list(rows), schema=schema)


def write_part(table: Table, folder: Path, name: str, *, new: bool = False) -> None:
    """Write one file of a table, whole or not at all; in an object store, a `new` one only if there
    is none.
    """
    path: Any = folder / f"{name}.parquet"
    if is_local(folder):
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f"_{name}.parquet"
        pq.write_table(table, fresh, compression="zstd")
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        fresh.rename(path)
        return
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    try:
        path.fs.pipe_file(
            path.path, sink.getvalue().to_pybytes(), mode="create" if new else "overwrite"
        )
    except OSError:
        if not (new and path.exists()):
            raise


def tidy(folder: Path) -> None:
    """Remove all files of a folder except those of its table."""
    for other in [path for path in folder.iterdir() if path.suffix != ".parquet"]:
        other.unlink()


def parts(folder: Path) -> list[Path]:
    """Return the complete files of a table."""
    files = sorted(
        p
        for p in folder.rglob("*.parquet")
        if not any(name[0] in "_." for name in p.relative_to(folder).parts)
    )
    return files if is_local(folder) else _current_files(files)


def _current_files(files: list[Path]) -> list[Path]:
    """Return the files without batches that a merged file has too."""
    entries = [(*place, part) for part in files if (place := numbers(part))]
    left, worker, end = [part for part in files if not numbers(part)], "", -1
    for name, first, last, part in sorted(
        entries, key=lambda one: (one[0], one[1], -(one[2] or one[1]), one[2] is None)
    ):
        if name != worker or (last or first) > end:
            left.append(part)
            worker, end = name, last or first
    return left


def numbers(part: Path) -> tuple[str, int, int | None] | None:
    """Return the worker and the batches of a file: of one batch, or from the first to the last."""
    match = NUMBERED.fullmatch(part.name)
    return (match[1], int(match[2]), int(match[3]) if match[3] else None) if match else None


def read_file(part: Path, schema: Schema, columns: Sequence[str] | None = None) -> Table:
    """Return one file of a table.

    Raises:
        LookupError: it is none.
    """
    subset = _subset(schema, columns)
    return pa.concat_tables([subset.empty_table(), *_batches(part, subset)])


def _subset(schema: Schema, columns: Sequence[str] | None) -> Schema:
    return schema if columns is None else pa.schema([schema.field(name) for name in columns])


def _batches(part: Path, schema: Schema) -> Iterator[Table]:
    try:
        # A part is read as the file that it is: what its folder is called is no column.
        with parquet(part) as file:
            for batch in file.iter_batches(AT_ONCE, columns=schema.names):
                yield pa.Table.from_batches([batch]).select(schema.names).cast(schema)
    except (pa.ArrowException, OSError, KeyError) as wrong:
        raise LookupError(f"{part} is no file of {part.parent.name}: {str(wrong)[:200]}") from wrong


def batches(folder: Path, schema: Schema, columns: Sequence[str] | None = None) -> Iterator[Table]:
    """Yield the rows of a table, some at a time.

    Raises:
        LookupError: a file is none of the table.
    """
    for part in parts(folder):
        yield from _batches(part, _subset(schema, columns))


def counts(folder: Path, schema: Schema, columns: Sequence[str]) -> Counter[tuple[Any, ...]]:
    """Return how many rows have the same values in some columns; holds some rows at a time.

    Raises:
        LookupError: a file is none of the table.
    """
    result = Counter[tuple[Any, ...]]()
    for rows in batches(folder, schema, columns):
        for row in rows.group_by(list(columns)).aggregate([([], "count_all")]).to_pylist():
            result[tuple(row[name] for name in columns)] += row["count_all"]
    return result


def read(folder: Path, schema: Schema, columns: Sequence[str] | None = None) -> Table:
    """Return a table, empty if nothing has landed."""
    return pa.concat_tables(
        [_subset(schema, columns).empty_table(), *batches(folder, schema, columns)]
    )


def write_json(document: Any, path: Path) -> None:
    """Write a document atomically."""
    fresh = path.with_name(f".{path.name}") if is_local(path) else path
    fresh.parent.mkdir(parents=True, exist_ok=True)
    fresh.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if fresh != path:
        fresh.replace(path)
