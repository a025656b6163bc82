"""The data source that `spark.dataSource.register` takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource

from lakepact.spark import shared_tables
from lakepact.spark.errors import explained
from lakepact.spark.options import OptionError, SharedTable, table_options
from lakepact.spark.shared_streams import SharedTableStream
from lakepact.spark.shared_tables import FilteredSharedTableReader, SharedTableReader

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
        with explained():
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
            AnalysisException: The table does not exist, is not shared with this caller, or needs a later reader.
        """
        with explained():
            if isinstance(self._table, SharedTable):
                return shared_tables.described(self._table)
            from lakepact.spark import iceberg_tables  # noqa: PLC0415 - pyiceberg takes a second to load

            return iceberg_tables.described(self._table)

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a reader of the table's rows.

        It takes filters only if asked to: Spark 4.1 gives the files of a filtered query to later queries of the same DataFrame, even if
        they have no filter.
        """
        table = self._table
        if isinstance(table, SharedTable):
            return FilteredSharedTableReader(table, schema) if table.pushes_filters else SharedTableReader(table, schema)
        from lakepact.spark.iceberg_tables import CatalogTableReader, FilteredCatalogTableReader  # noqa: PLC0415 - as above

        return FilteredCatalogTableReader(table, schema) if table.pushes_filters else CatalogTableReader(table, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - a name of Spark's
        """Return a reader of the table's later versions.

        Raises:
            OptionError: It is a table of an Iceberg catalog, or the stream has no start. Spark shows it only with its traceback.
        """
        if isinstance(self._table, SharedTable):
            return SharedTableStream(self._table, schema)
        raise OptionError("tables of Iceberg catalogs are read in batches here; only shared tables are streamed")
