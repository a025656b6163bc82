"""The side of a comparison at an address: a catalog, a share, or a folder of Delta tables."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from lakepact.conformance.evidence.redaction import SECRET_NAMES
from lakepact.data.catalogs import CatalogAddress
from lakepact.data.compare.delta_side import DeltaSide
from lakepact.data.compare.iceberg_side import IcebergSide
from lakepact.data.compare.shared_side import SharedSide
from lakepact.data.sql_catalog import SCHEME, SqlCatalog

Side: TypeAlias = IcebergSide | SharedSide | DeltaSide


@dataclass(frozen=True)
class SideAddress(CatalogAddress):
    """The address of a side, and the settings that open it.

    Args:
        address: The URL of a catalog, `sqlite:///` and the file of one, its name in pyiceberg's
            configuration, `PROFILE#SHARE`, or a folder of Delta tables.
        properties: Of the catalog or the storage, as pyiceberg or deltalake take them.
        api_key: The caller of a catalog, if an API key alone identifies it.
        as_of: The time whose tables are compared; by default now.
        spark: The name of the catalog in the settings of Spark, to read it by Iceberg's jar.
    """

    as_of: dt.datetime | None = None
    spark: str | None = None

    @property
    def secrets(self) -> list[str]:
        """The properties that no report may show."""
        return [
            value for name, value in self.properties.items() if SECRET_NAMES.search(name) and value
        ]

    def side(self) -> Side:
        """Return the tables at the address.

        Raises:
            CannotCompare: The profile cannot be read.
            ValueError: There is no such catalog, or a property is not supported.
        """
        address, as_of = self.address, self.as_of
        is_url = address.startswith(("http://", "https://", SCHEME))
        if "#" in address and not is_url:
            return SharedSide(address, as_of=as_of)
        if is_url or not ("/" in address or Path(address).exists()):
            client: Any = SqlCatalog.of(self) or self.connect()
            return IcebergSide(client, self, as_of=as_of, spark=self.spark)
        return DeltaSide(address, dict(self.properties), as_of=as_of)
