"""The tables of a share, read as its recipient."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

import orjson

from lakepact import client
from lakepact.client import UpgradeNeeded
from lakepact.data.catalogs import LIMITS, RETRIES
from lakepact.data.compare.delta_side import arrow_schema, layout
from lakepact.data.compare.model import CannotCompare, PinnedTable


class SharedSide:
    """A share, `PROFILE#SHARE`, at its latest versions or those of a time.

    Raises:
        CannotCompare: the profile cannot be read.
    """

    def __init__(self, address: str, *, as_of: dt.datetime | None) -> None:
        self._as_of = as_of
        self._file, _, self._share = address.rpartition("#")
        try:
            self._client = client.SharingClient(self._file, retries=RETRIES, limits=LIMITS)
        except (OSError, ValueError, UpgradeNeeded) as wrong:
            raise CannotCompare(f"the profile {self._file} cannot be read: {wrong}") from wrong
        self.close = self._client.close

    def names(self, _: Sequence[str]) -> Iterator[str]:
        """Yield the names of all tables of the share, with their schemas."""
        for table in self._client.all_tables(self._share):
            yield f"{table.schema_}.{table.name}"

    def table(self, name: str) -> PinnedTable:
        """Return a table with the files of its latest version, or of that of the time."""
        schema, _, table = name.partition(".")
        listing = self._client.table(self._share, schema, table).query(timestamp=self._as_of)
        version, metadata = listing.version, listing.metadata
        columns = arrow_schema(metadata.schema_string)
        tasks = listing.tasks()
        at = {} if version is None else {"versionAsOf": str(version)}
        options = {"profile": self._file, **at}
        return PinnedTable(
            name=name,
            pin=f"version {'unknown' if version is None else version} of {metadata.id}",
            layout=layout(
                orjson.loads(metadata.schema_string),
                metadata.partition_columns,
                metadata.configuration,
                version=version,
            ),
            schema=columns,
            batches=lambda: (
                batch
                for task in tasks
                for rows in self._client.read(task)
                for batch in rows.cast(columns).to_batches()
            ),
            frame=lambda session: (
                session.read.format("lakepact").options(**options).load(f"{self._share}.{name}")
            ),
        )
