"""Queries about a table as calls: the first page, further pages, and repetitions after URLs have
expired.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, TypedDict

from lakepact.client.delta_sharing.capabilities import Capabilities
from lakepact.client.idempotency_keys import new_key
from lakepact.client.moments import moment, utc
from lakepact.client.rows.predicates import hint
from lakepact.generated.delta_sharing.endpoints import (
    get_query_info,
    get_table_metadata,
    query_table,
    query_table_changes,
)
from lakepact.generated.delta_sharing.models import GetQueryInfoRequest, QueryTableRequest
from lakepact.reach.urls import path_segment

if TYPE_CHECKING:
    from datetime import datetime

    from lakepact.client.rows.predicates import Predicate
    from lakepact.generated.contract import Call

#: How file ids are made.
FileIdHash: TypeAlias = Literal["parquet", "delta"]

#: Used for limits beyond the contract's range.
_MOST_HINTED = 2**31 - 1


class PlaceNames(TypedDict):
    """The arguments of a call that name a table."""

    share: str
    schema: str
    table: str


@dataclass(frozen=True, slots=True)
class Place:
    """A table by its names."""

    share: str
    schema: str
    table: str

    def __post_init__(self) -> None:
        for name in (self.share, self.schema, self.table):
            path_segment(name)

    def __str__(self) -> str:
        return f"{self.share}.{self.schema}.{self.table}"

    def names(self) -> PlaceNames:
        """Return the arguments that name it in calls."""
        return {"share": self.share, "schema": self.schema, "table": self.table}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The parts that all requests about a table have."""

    place: Place
    capabilities: Capabilities = field(default_factory=Capabilities)
    page_size: int | None = None
    historical_protocol: bool = False
    #: Seconds to wait for a query in the background.
    patience: float = 0.0
    predicate: Predicate | None = None
    limit: int | None = None
    ending_version: int | None = None
    file_id_hash: FileIdHash | None = None

    def contradiction(self, version: int) -> str | None:
        """Return what was asked for, if an answer that is about a version, or begins with it,
        cannot be the answer.

        The contract does not say whether the header of metadata is the version asked for, or the
        current one.
        """
        del version
        return None

    def follow_up(self, query_id: str, page_token: str | None) -> Call[Any]:
        """Return the call for a page of a query in the background."""
        members = {"max_files": self.page_size, "page_token": page_token}
        body = GetQueryInfoRequest.model_validate(
            {name: value for name, value in members.items() if value is not None}
        )
        header = self.capabilities.header()
        query = path_segment(query_id)
        return get_query_info.call(
            **self.place.names(), query_id=query, body=body, delta_sharing_capabilities=header
        )

    def again(self, refresh_token: str | None) -> Self:
        """Return the question whose answer has the same files with new URLs, and perhaps later
        ones.
        """
        del refresh_token
        return self

    def at_version(self, version: int | None) -> Self | None:
        """Return the question about a version; None where it is about one already, or what is asked
        about is there to stay.
        """
        del version
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class About(_Asked):
    """The metadata of a table."""

    version: int | None = None
    timestamp: str | None = None
    gives_changes: ClassVar[bool] = False

    def call(self, page_token: str | None) -> Call[Any]:
        """Return the call; its answer has one page."""
        del page_token
        header = self.capabilities.header()
        return get_table_metadata.call(
            **self.place.names(),
            version=self.version,
            timestamp=self.timestamp,
            delta_sharing_capabilities=header,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Query(_Asked):
    """The files of a snapshot, or with `starting_version` those that later versions added and
    removed.
    """

    version: int | None = None
    timestamp: str | None = None
    starting_version: int | None = None
    refresh_token: str | None = field(default=None, repr=False)
    #: Names a query that may run in the background.
    idempotency_key: str | None = None

    def __post_init__(self) -> None:
        if sum(point is not None for point in self._points()) > 1:
            raise ValueError(
                "a table is read at a version, at a timestamp, or from a version on: give one of"
                " the three at most"
            )

    def _points(self) -> tuple[int | str | None, ...]:
        return self.version, self.timestamp, self.starting_version

    @property
    def gives_changes(self) -> bool:
        """Whether files are those that versions added and removed."""
        return self.starting_version is not None

    def contradiction(self, version: int) -> str | None:
        """Return what was asked for, if an answer that is about a version, or begins with it,
        cannot be the answer.
        """
        return _contradiction(version, exact=self.version, first=self.starting_version)

    def call(self, page_token: str | None) -> Call[Any]:
        """Return the call for a page; the first without a token."""
        hints = None if self.predicate is None else hint(self.predicate)
        # With a predicate, the number of rows to read for that many results is unknown.
        hints_limit = (
            self.limit is not None and self.predicate is None and self.limit <= _MOST_HINTED
        )
        # The official server returns 400 for a token in other requests than these.
        refreshes = all(point is None for point in self._points()) and not page_token
        members: dict[str, Any] = {
            "json_predicate_hints": hints,
            "limit_hint": self.limit if hints_limit else None,
            "version": self.version,
            "timestamp": self.timestamp,
            "starting_version": self.starting_version,
            "ending_version": self.ending_version,
            "max_files": self.page_size,
            "page_token": page_token,
            "include_historical_protocol": True if self.historical_protocol else None,
            "idempotency_key": self.idempotency_key,
            "include_refresh_token": True if refreshes else None,
            "refresh_token": self.refresh_token if refreshes else None,
        }
        body = QueryTableRequest.model_validate(
            {name: value for name, value in members.items() if value is not None}
        )
        header = self.capabilities.header()
        return query_table.call(
            **self.place.names(),
            body=body,
            delta_sharing_capabilities=header,
            fileidhash=self.file_id_hash,
        )

    def again(self, refresh_token: str | None) -> Query:
        """Return the question whose answer has the same files with new URLs, if the table did not
        change.
        """
        key = (
            None if self.idempotency_key is None else new_key()
        )  # with the same key, the old answer would come again
        return replace(self, refresh_token=refresh_token or self.refresh_token, idempotency_key=key)

    def at_version(self, version: int | None) -> Query | None:
        """Return the question about a version; None where it is about one already."""
        if self.gives_changes or version is None:
            return None
        key = None if self.idempotency_key is None else new_key()
        return replace(
            self, version=version, timestamp=None, refresh_token=None, idempotency_key=key
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes(_Asked):
    """The changes that versions made."""

    starting_version: int | None = None
    starting_timestamp: str | None = None
    ending_timestamp: str | None = None
    historical_metadata: bool = False
    gives_changes: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if (self.starting_version is None) == (self.starting_timestamp is None):
            raise ValueError("changes begin at a version or at a timestamp: give one of the two")
        if self.ending_version is not None and self.ending_timestamp is not None:
            raise ValueError(
                "changes end at a version or at a timestamp: give one of the two at most"
            )

    def contradiction(self, version: int) -> str | None:
        """Return what was asked for, if an answer that begins with a version cannot be the
        answer.
        """
        return _contradiction(version, first=self.starting_version)

    def call(self, page_token: str | None) -> Call[Any]:
        """Return the call for a page; the first without a token."""
        return query_table_changes.call(
            **self.place.names(),
            starting_version=self.starting_version,
            starting_timestamp=self.starting_timestamp,
            ending_version=self.ending_version,
            ending_timestamp=self.ending_timestamp,
            include_historical_metadata=True if self.historical_metadata else None,
            include_historical_protocol=True if self.historical_protocol else None,
            max_files=self.page_size,
            page_token=page_token,
            delta_sharing_capabilities=self.capabilities.header(),
            fileidhash=self.file_id_hash,
        )


#: A request whose answer comes in lines.
TableRequest: TypeAlias = About | Query | Changes


def _contradiction(
    version: int, *, exact: int | None = None, first: int | None = None
) -> str | None:
    if exact is not None and version != exact:
        return f"version {exact}"
    return f"versions from {first} on" if first is not None and version < first else None


def moment_text(value: datetime | str | None) -> str | None:
    """Return a timestamp as it is sent. The errors are those of `moment`."""
    return None if value is None else utc(moment(value))
