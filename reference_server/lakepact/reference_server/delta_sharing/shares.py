"""Shares and recipients, read once at the start from the shares file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from lakepact.reference_server.warehouse.vended_credentials.token_services import TokenService

#: the path that the protocol is served below, unless the file has another endpoint
ROOT = "/delta-sharing"
URL, DIRECTORY = "url", "dir"  #: the ways in which a table may be read


def fold(name: str) -> str:
    """Return a name as it is compared: names that differ only in case are one."""
    return name.casefold()


@dataclass(frozen=True, slots=True)
class SharedTable:
    """One table of a schema of a share.

    Args:
        share: the share's name as it is configured.
        schema: the schema's.
        name: its own.
        share_id: identifies the share.
        id: identifies the table.
        roots: the folders that all its files lie below; the first holds its log.
        location: where clients find it who read its directory.
        history_shared: whether earlier versions and changes may be read.
        start_version: the first version that may be read.
        access_modes: how it may be read; none are said if this is empty, which means by URLs.
        auxiliary_locations: where clients find further files of it.
        iceberg: the levels of the namespace and the name of the Iceberg table that this is.
    """

    share: str
    schema: str
    name: str
    share_id: str
    id: str
    roots: tuple[Path, ...]
    location: str
    history_shared: bool = False
    start_version: int = 0
    access_modes: tuple[str, ...] = ()
    auxiliary_locations: tuple[str, ...] = ()
    iceberg: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder that holds its log."""
        return self.roots[0]

    @property
    def source(self) -> Path | tuple[str, ...]:
        """The source of its versions: its folder, or an Iceberg table."""
        return self.iceberg or self.folder

    @property
    def by_url(self) -> bool:
        """Whether its files may be read by their URLs."""
        return not self.access_modes or URL in self.access_modes

    @property
    def by_directory(self) -> bool:
        """Whether its directory may be read with credentials."""
        return DIRECTORY in self.access_modes

    @property
    def access(self) -> dict[str, Any]:
        """How it may be read, as members of a table in a listing and of its metadata."""
        members: dict[str, Any] = {}
        if self.by_directory:
            members["location"] = self.location
            if self.auxiliary_locations:
                members["auxiliaryLocations"] = list(self.auxiliary_locations)
        if self.access_modes:
            members["accessModes"] = list(self.access_modes)
        return members


T = TypeVar("T", "SharedTable", "SharedSchema", "Share")


def by_name(items: Iterable[T]) -> Mapping[str, T]:
    """Things by their names as they are compared, in the order in which they are configured."""
    return MappingProxyType({fold(item.name): item for item in items})


@dataclass(frozen=True, slots=True)
class SharedSchema:
    """One schema of a share, with its tables."""

    share: str
    name: str
    tables: Mapping[str, SharedTable]


@dataclass(frozen=True, slots=True)
class Share:
    """One share, with its schemas."""

    name: str
    id: str
    schemas: Mapping[str, SharedSchema]
    display_name: str | None = None
    comment: str | None = None
    properties: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Recipient:
    """One who may read.

    Args:
        name: what the recipient is called, here and in the names of profiles.
        bearer_token: what proves it.
        shares: the shares that the recipient may read, by their names as they are compared; None
            for all.
        expires: when the token ends, if it does.
    """

    name: str
    bearer_token: str = field(repr=False)
    shares: frozenset[str] | None = None
    expires: datetime | None = None


@dataclass(frozen=True, slots=True)
class Shares:
    """All that a shares file says.

    Args:
        shares: by their names as they are compared.
        recipients: who may read.
        root: the path that the protocol is served below.
        url_seconds: for how long the URL of a file holds.
        credential_seconds: for how long credentials hold.
        page_seconds: for how long the page token of a query holds.
        refresh_seconds: for how long a refresh token holds.
        page_files: the most files of one page of a query.
        predicate_hints: whether predicateHints choose files.
        json_predicate_hints: whether jsonPredicateHints do.
        token_service: where keys for directories come from, if they do.
        unused: settings of the file that are of no use here.
    """

    shares: Mapping[str, Share]
    recipients: tuple[Recipient, ...]
    root: str = ROOT
    url_seconds: int = 3600
    credential_seconds: int = 3600
    page_seconds: int = 259_200
    refresh_seconds: int = 3600
    page_files: int = 10_000
    predicate_hints: bool = True
    json_predicate_hints: bool = True
    token_service: TokenService | None = None
    unused: tuple[str, ...] = ()

    def tables(self) -> Iterable[SharedTable]:
        """Return every table of every share."""
        return (
            table
            for share in self.shares.values()
            for schema in share.schemas.values()
            for table in schema.tables.values()
        )
