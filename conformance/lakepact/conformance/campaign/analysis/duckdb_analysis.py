"""The analysis by DuckDB: as much as a disk holds, in the memory that it is given."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign.analysis import sql
from lakepact.conformance.campaign.analysis.findings import TABLES
from lakepact.conformance.campaign.tables import ANSWERS, EXCHANGES, RESULTS, TEXT, parts
from lakepact.conformance.evidence.arrow import Schema, Table, pa

MEMORY = "900MB"  #: of a query; what does not fit goes to a temporary file
LOOKED_AT = (
    "target",
    "contract",
    "operation_id",
    "word",
    "state",
    "latency_us",
)  #: of exchanges, which are large otherwise


def analyse(run: Path, base: Path | None = None, *, quiet: Sequence[str] = ()) -> dict[str, Table]:
    """Return all tables of `findings`.

    Args:
        run: folder of a judged run.
        base: folder of an earlier judged run to compare with, if any.
        quiet: words of the starts that had one request in flight at a time.

    Raises:
        LookupError: a file of the run is none of its table.
    """
    duckdb = import_module("duckdb")
    with tempfile.TemporaryDirectory(prefix="lakepact-") as folder:
        settings = {
            "memory_limit": MEMORY,
            "temp_directory": folder,
            "preserve_insertion_order": "false",
        }
        try:
            with duckdb.connect(
                ":memory:", config={**settings, "autoinstall_known_extensions": "false"}
            ) as connection:
                _view(connection, "results", run / "results", RESULTS)
                _view(connection, "base", base / "results" if base else None, RESULTS)
                _view(connection, "answers", run / "answers", ANSWERS)
                _view(connection, "exchanges", run / "exchanges", EXCHANGES)
                connection.register("quiet", pa.table({"word": pa.array(quiet, TEXT)}))
                result = {
                    name: connection.sql(query).to_arrow_table()
                    for name, query in sql.queries(sql.DUCKDB).items()
                }
        except (
            duckdb.IOException,
            duckdb.InvalidInputException,
            duckdb.BinderException,
            duckdb.ConversionException,
        ) as wrong:
            raise LookupError(
                f"{run} holds a file that is none of its table: {str(wrong)[:200]}"
            ) from wrong
    return {
        name: table.select(TABLES[name].names).cast(TABLES[name]) for name, table in result.items()
    }


def _view(connection: Any, name: str, folder: Path | None, schema: Schema) -> None:
    files = [str(part) for part in parts(folder)] if folder is not None else []
    if files:
        store = getattr(folder, "fs", None)
        if store and store.protocol[0] not in connection.list_filesystems():
            connection.register_filesystem(store)
        columns = LOOKED_AT if name == "exchanges" else schema.names
        connection.read_parquet(files).select(*columns).create_view(name)
    else:
        connection.register(name, schema.empty_table())
