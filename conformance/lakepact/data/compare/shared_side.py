"""The tables of a share, read as its recipient."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lakepact import client
from lakepact.client import UpgradeNeeded
from lakepact.data.catalogs import LIMITS, RETRIES
from lakepact.data.compare.delta_side import pin_table
from lakepact.data.compare.model import CannotCompare, PinnedTable

if TYPE_CHECKING:
    from lakepact.client.delta_sharing.lines import Format


class SharedSide:
    """A share, `PROFILE#SHARE`, at its latest versions or those of a time.

    Raises:
        CannotCompare: the profile cannot be read.
    """

    def __init__(self, address: str, *, as_of: dt.datetime | None) -> None:
        self._as_of = as_of
        self._file, _, self._share = address.rpartition("#")
        try:
            self.client = client.SharingClient(self._file, retries=RETRIES, limits=LIMITS)
        except (OSError, ValueError, UpgradeNeeded) as wrong:
            raise CannotCompare(f"the profile {self._file} cannot be read: {wrong}") from wrong
        self.close = self.client.close

    def names(self, _: Sequence[str]) -> Iterator[str]:
        """Yield the names of all tables of the share, with their schemas."""
        for table in self.client.all_tables(self._share):
            yield f"{table.schema_}.{table.name}"

    def table(
        self, name: str, *, at: int | None = None, formats: Sequence[Format] = ("delta", "parquet")
    ) -> PinnedTable:
        """Return a table with the files of its latest version, or of that of the time.

        Args:
            name: Of the table, with its schema.
            at: Another version.
            formats: The formats of answers that are accepted.
        """
        schema, _, table = name.partition(".")
        shared = self.client.table(self._share, schema, table)
        listing = shared.query(version=at, timestamp=self._as_of, formats=tuple(formats))
        version = listing.version
        tasks = listing.tasks()
        pin = {} if version is None else {"versionAsOf": str(version)}
        options = {"profile": self._file, **pin}
        return pin_table(
            name,
            listing.metadata,
            listing.metadata.schema_string,
            version=version,
            batches=lambda columns: (
                batch
                for task in tasks
                for rows in self.client.read(task)
                for batch in rows.cast(columns).to_batches()
            ),
            frame=lambda session: (
                session.read.format("lakepact").options(**options).load(f"{self._share}.{name}")
            ),
        )
