"""Types of optional libraries, which are not imported at run time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from pyiceberg.schema import Schema

#: pyarrow has no annotations of its own: with `pyarrow-stubs` type checkers know its types, and
#: without them they take `Any`.
ArrowTable: TypeAlias = "pa.Table"
ArrowBatch: TypeAlias = "pa.RecordBatch"
ArrowReader: TypeAlias = "pa.RecordBatchReader"
#: Schemas that a table takes.
AnySchema: TypeAlias = "pa.Schema | Schema"
#: Rows that a table takes.
Frame: TypeAlias = "pd.DataFrame | pl.DataFrame | duckdb.DuckDBPyRelation"
ArrowRows: TypeAlias = (
    "pa.Table | pa.RecordBatch | pa.RecordBatchReader | Frame | Mapping[str, Any]"
)
PandasFrame: TypeAlias = "pd.DataFrame"
PolarsFrame: TypeAlias = "pl.DataFrame"
DuckDBConnection: TypeAlias = "duckdb.DuckDBPyConnection"
DuckDBRelation: TypeAlias = "duckdb.DuckDBPyRelation"
