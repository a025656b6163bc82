"""Tables of Arrow as frames of pandas and polars, and as relations of DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from lakepact.client.rows.foreign import (
        ArrowTable,
        DuckDBConnection,
        DuckDBRelation,
        PandasFrame,
        PolarsFrame,
    )


def pandas_frame(table: ArrowTable) -> PandasFrame:
    """Return the table as a frame of pandas, with integers and booleans in the types that know
    nulls.
    """
    import pandas as pd  # noqa: PLC0415 - an optional library

    types: dict[pa.DataType, pd.api.extensions.ExtensionDtype] = {
        pa.bool_(): pd.BooleanDtype(),
        pa.int8(): pd.Int8Dtype(),
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
    }
    frame: PandasFrame = table.to_pandas(types_mapper=types.get)
    return frame


def polars_frame(table: ArrowTable) -> PolarsFrame:
    """Return the table as a frame of polars."""
    import polars as pl  # noqa: PLC0415 - an optional library

    return pl.DataFrame(table)


def duckdb_relation(table: ArrowTable, connection: DuckDBConnection | None) -> DuckDBRelation:
    """Return the table as a relation of DuckDB, in a connection or the default one."""
    import duckdb  # noqa: PLC0415 - an optional library

    return (connection or duckdb.default_connection()).from_arrow(table)
