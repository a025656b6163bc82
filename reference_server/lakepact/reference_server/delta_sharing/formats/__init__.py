"""How the actions of a log are sent, in either response format: each format is a module with the
functions of `Format`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from lakepact.reference_server.delta_sharing.formats import delta, parquet
from lakepact.reference_server.delta_sharing.formats.links import Links, file_id
from lakepact.reference_server.delta_sharing.log.active_files import Chunk

Document = dict[str, Any]


class Format(Protocol):
    """One response format."""

    def protocol(self, protocol: Mapping[str, Any], *, version: int | None = None) -> Document:
        """Return the line that says what a client has to understand, from a version on if one is
        given.
        """
        ...

    def metadata(
        self,
        metadata: Mapping[str, Any],
        *,
        access: Mapping[str, Any],
        version: int | None = None,
        size: int | None = None,
        num_files: int | None = None,
    ) -> Document:
        """Return the line that says what a table is.

        Args:
            metadata: the action of the log.
            access: how the table may be read, as members.
            version: the version that it is of, where that is asked for.
            size: bytes of all files, if known.
            num_files: how many there are, if known.
        """
        ...

    def change(
        self,
        kind: str,
        action: Mapping[str, Any],
        *,
        links: Links,
        columns: Sequence[str],
        version: int,
        timestamp: int,
    ) -> Document:
        """Return the line of a file that a version added or removed, or wrote its changed rows to.

        Args:
            kind: which action it is: add, remove or cdc.
            action: the action of the log.
            links: where files are fetched.
            columns: the partition columns.
            version: the version.
            timestamp: its time.
        """
        ...

    def file(
        self,
        action: Mapping[str, Any],
        *,
        links: Links,
        columns: Sequence[str],
        version: int | None = None,
        timestamp: int | None = None,
    ) -> Document:
        """Return the line of a file that a table consists of.

        Args:
            action: the add action of the log.
            links: where files are fetched.
            columns: the partition columns.
            version: the version that was asked for, if one was.
            timestamp: its time.
        """
        ...

    def block(self, chunk: Chunk, key: Callable[[str], str], columns: Sequence[str]) -> bytes:
        """Return the lines of the files of a chunk, with gaps for what every answer has of its
        own.
        """
        ...


FORMATS: Mapping[str, Format] = {"parquet": parquet, "delta": delta}

__all__ = ["FORMATS", "Format", "Links", "file_id"]
