"""The analysis by DuckDB: as much as a disk holds, in the memory that it is given; row by row in Python where there is none."""

from __future__ import annotations

import tempfile
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from lakepact.conformance.campaign.analysis import sql, summaries
from lakepact.conformance.campaign.analysis.findings import TABLES
from lakepact.conformance.campaign.tables import ANSWERS, EXCHANGES, RESULTS, TEXT, parts
from lakepact.conformance.evidence.arrow import pa

if TYPE_CHECKING:
    from pathlib import Path

    from lakepact.conformance.campaign.analysis.findings import Sources
    from lakepact.conformance.evidence.arrow import Schema, Table

MEMORY = "900MB"  #: of a query; what does not fit goes to a temporary file


def analysed(sources: Sources) -> dict[str, Table]:
    """Return all tables of `findings`."""
    if find_spec("duckdb") is None:
        return summaries.analysed(sources)
    duckdb = import_module("duckdb")
    with tempfile.TemporaryDirectory(prefix="lakepact-") as folder:
        settings = {"memory_limit": MEMORY, "temp_directory": folder, "preserve_insertion_order": "false"}
        try:
            with duckdb.connect(":memory:", config={**settings, "autoinstall_known_extensions": "false"}) as connection:
                _view(connection, "results", sources.results, RESULTS)
                _view(connection, "base", sources.base, RESULTS)
                _view(connection, "answers", sources.answers, ANSWERS)
                _view(connection, "exchanges", sources.exchanges, EXCHANGES)
                connection.register("quiet", pa.table({"word": pa.array(sources.quiet, TEXT)}))
                found = {name: connection.sql(query).to_arrow_table() for name, query in sql.queries(sql.DUCKDB).items()}
        except (duckdb.IOException, duckdb.InvalidInputException, duckdb.BinderException, duckdb.ConversionException) as wrong:
            raise LookupError(f"{sources.results.parent} holds a file that is none of its table: {str(wrong)[:200]}") from wrong
    return {name: table.select(TABLES[name].names).cast(TABLES[name]) for name, table in found.items()}


def _view(connection: Any, name: str, folder: Path | None, schema: Schema) -> None:
    files = [str(part) for part in parts(folder)] if folder is not None else []
    if files:
        columns = summaries.LOOKED_AT if name == "exchanges" else schema.names
        connection.read_parquet(files).select(*columns).create_view(name)
    else:
        connection.register(name, schema.empty_table())
