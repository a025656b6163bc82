"""The data source that `spark.dataSource.register` takes."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource

from lakepact.spark.errors import explain
from lakepact.spark.options import OptionError, SharedTable, table_options

if TYPE_CHECKING:
    from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader
    from pyspark.sql.types import StructType

NAME = "lakepact"


class LakepactDataSource(DataSource):
    """Tables of Delta Sharing servers and Iceberg REST catalogs, read without a jar.

    Args:
        options: The options of `spark.read`; `docs/spark.md` lists them.

    Raises:
        AnalysisException: An option is missing, unknown or invalid.
    """

    def __init__(self, options: dict[str, str]) -> None:
        # Only the parsed options are kept: Spark may show those of the super class.
        super().__init__({})
        with explain():
            self._table = table_options(options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._table!r})"

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return NAME

    def schema(self) -> StructType:
        """Return the columns of the table, fetched from its server.

        Raises:
            AnalysisException: The table does not exist, is not shared with this caller, or needs a
                later reader.
        """
        with explain():
            columns: StructType = self._module("tables").describe(self._table)
            return columns

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a reader of the table's rows.

        It takes filters only if asked to: Spark 4.1 gives the files of a filtered query to later
        queries of the same DataFrame, even if they have no filter.
        """
        tables = self._module("tables")
        reader: DataSourceReader = (
            tables.FilteredReader if self._table.pushes_filters else tables.Reader
        )(self._table, schema)
        return reader

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - a name of Spark's
        """Return a reader of the table's later versions.

        Raises:
            OptionError: It is a table of an Iceberg catalog, or the stream has no start. Spark
                shows it only with its traceback.
        """
        if not isinstance(self._table, SharedTable):
            raise OptionError(
                "tables of Iceberg catalogs are read in batches here; only shared tables are"
                " streamed"
            )
        stream: DataSourceStreamReader = self._module("streams").SharedTableStream(
            self._table, schema
        )
        return stream

    def _module(self, topic: str) -> Any:
        """Return a module of the table's contract. Spark loads it in each process, and the other
        contract's would take a second more.
        """
        contract = "shared" if isinstance(self._table, SharedTable) else "iceberg"
        return importlib.import_module(f"lakepact.spark.{contract}_{topic}")
