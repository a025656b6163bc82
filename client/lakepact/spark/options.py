"""Options of `spark.read.format("lakepact")`, checked when the DataFrame is defined."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from lakepact.reach.auth import Auth, BearerToken, NoAuth
from lakepact.reach.client_credentials import ClientCredentials

_TABLE = ("path", "table", "maxPartitionBytes", "pushFilters")
_SHARING = (
    "profile",
    "versionAsOf",
    "timestampAsOf",
    "readChangeFeed",
    "startingVersion",
    "startingTimestamp",
    "endingVersion",
    "endingTimestamp",
    "skipChangeCommits",
    "responseFormat",
)
_CATALOG = (
    "catalog",
    "warehouse",
    "token",
    "clientId",
    "clientSecret",
    "tokenEndpoint",
    "scope",
    "trustedOrigins",
    "snapshot-id",
    "as-of-timestamp",
    "branch",
    "tag",
    "scan-planning-mode",
)
#: Settings of pyiceberg's file systems.
_STORAGE = ("s3.", "gcs.", "adls.", "hdfs.")
_MIB = 1024 * 1024
_PARTITION_BYTES = 128 * _MIB
LATEST = "latest"


class OptionError(ValueError):
    """Options are missing, unknown, invalid or in conflict; the message says what to write
    instead.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedTable:
    """A table of a Delta Sharing server; `repr()` shows no secret."""

    profile: str = field(repr=False)  #: JSON text
    share: str
    schema: str
    name: str
    version: int | None = None
    timestamp: str | None = None
    reads_changes: bool = False
    starting_version: int | str | None = None  #: a number, or `latest`
    starting_timestamp: str | None = None
    ending_version: int | None = None
    ending_timestamp: str | None = None
    skips_change_commits: bool = False
    response_format: str | None = None
    partition_bytes: int = _PARTITION_BYTES
    pushes_filters: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogTable:
    """A table of an Iceberg REST catalog; `repr()` shows no secret."""

    catalog: str
    namespace: tuple[str, ...]
    name: str
    warehouse: str | None = None
    token: str | None = field(default=None, repr=False)
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    token_endpoint: str | None = None
    scope: str = "catalog"
    trusted_origins: tuple[str, ...] = ()
    snapshot_id: int | None = None
    as_of_timestamp: int | None = None  #: milliseconds since 1970
    ref: str | None = None  #: a branch or tag
    planning_mode: str | None = None
    storage: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    partition_bytes: int | None = None
    pushes_filters: bool = False

    def auth(self) -> Auth:
        """Return the authorization of requests to the catalog."""
        if self.token is not None:
            return BearerToken(self.token)
        if self.client_id is not None and self.client_secret is not None:
            endpoint = self.token_endpoint or f"{self.catalog.rstrip('/')}/v1/oauth/tokens"
            return ClientCredentials(
                endpoint, self.client_id, self.client_secret, scope=self.scope or None
            )
        return NoAuth()


TableOptions: TypeAlias = SharedTable | CatalogTable


def table_options(texts: Mapping[str, str]) -> TableOptions:
    """Return the table that options name.

    Raises:
        OptionError: An option is missing, unknown, invalid, or in conflict with another.
    """
    options = _Options(texts)
    if options.has("catalog"):
        return _catalog_table(options)
    return _shared_table(options)


class _Options:
    """Options by name, regardless of case."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._given = {name.lower(): value for name, value in options.items()}

    def has(self, name: str) -> bool:
        return name.lower() in self._given

    def text(self, name: str) -> str | None:
        """Return the value of an option; None if it is absent or empty."""
        return self._given.get(name.lower(), "").strip() or None

    def integer(self, name: str, least: int = 0) -> int | None:
        """Return the value of an option that is an integer from `least` on."""
        text = self.text(name)
        if text is None:
            return None
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise OptionError(f"option {name} is an integer from {least} on, not {text[:40]!r}")
        return value

    def flag(self, name: str) -> bool:
        """Return the value of an option that is true or false; false without it."""
        text = self.text(name) or "false"
        if text.lower() not in {"true", "false"}:
            raise OptionError(f"option {name} is true or false, not {text[:40]!r}")
        return text.lower() == "true"

    def choice(self, name: str, *values: str) -> str | None:
        """Return the value of an option that is one of several."""
        text = self.text(name)
        if text is not None and text not in values:
            raise OptionError(f"option {name} is {' or '.join(values)}, not {text[:40]!r}")
        return text

    def at_most_one(self, *names: str) -> None:
        """Refuse options that exclude each other."""
        present = [name for name in names if self.text(name) is not None]
        if len(present) > 1:
            raise OptionError(f"options {' and '.join(present)} exclude each other")

    def refuse_others(self, *options: str, prefixes: tuple[str, ...] = ()) -> None:
        """Refuse options that are not known, which may be misspelled."""
        names = {name.lower() for name in options}
        for name in self._given:
            if name not in names and not name.startswith(prefixes or "\0"):
                raise OptionError(
                    f"option {name} is not known here; known are {', '.join(options)}"
                )

    def starting_with(self, prefixes: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        """Return the options whose names have one of these prefixes."""
        return tuple(
            sorted(
                (name, value) for name, value in self._given.items() if name.startswith(prefixes)
            )
        )

    def table(self) -> str | None:
        """Return the name of the table, from `load` or from the option."""
        self.at_most_one("path", "table")
        return self.text("path") or self.text("table")


def _shared_table(options: _Options) -> SharedTable:
    options.refuse_others(*_TABLE, *_SHARING)
    profile, table = options.text("profile"), options.table()
    if profile is None and table is not None and "#" in table:
        profile, _, table = table.rpartition("#")
    if profile is None:
        raise OptionError(
            'name a profile of Delta Sharing, .option("profile", FILE), or an Iceberg REST catalog,'
            ' .option("catalog", "https://…")'
        )
    parts = table.split(".") if table else []
    if len(parts) != 3 or not all(parts):
        raise OptionError('name the shared table: .load("share.schema.table")')
    for several in (
        ("versionAsOf", "timestampAsOf"),
        ("startingVersion", "startingTimestamp"),
        ("endingVersion", "endingTimestamp"),
    ):
        options.at_most_one(*several)
    starting = options.text("startingVersion")
    return SharedTable(
        profile=_profile_text(profile),
        share=parts[0],
        schema=parts[1],
        name=parts[2],
        version=options.integer("versionAsOf"),
        timestamp=options.text("timestampAsOf"),
        reads_changes=options.flag("readChangeFeed"),
        starting_version=LATEST if starting == LATEST else options.integer("startingVersion"),
        starting_timestamp=options.text("startingTimestamp"),
        ending_version=options.integer("endingVersion"),
        ending_timestamp=options.text("endingTimestamp"),
        skips_change_commits=options.flag("skipChangeCommits"),
        response_format=options.choice("responseFormat", "parquet", "delta"),
        partition_bytes=options.integer("maxPartitionBytes", 1) or _PARTITION_BYTES,
        pushes_filters=options.flag("pushFilters"),
    )


def _profile_text(profile: str) -> str:
    """Return the text of a profile: executors need not have its file."""
    if profile.startswith("{"):
        return profile
    path = Path(profile.removeprefix("file://"))
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "it is not in UTF-8"
        raise OptionError(
            f"the profile {os.fspath(path)} cannot be read on the driver: {reason}"
        ) from None


def _catalog_table(options: _Options) -> CatalogTable:
    options.refuse_others(*_TABLE, *_CATALOG, prefixes=_STORAGE)
    parts = (options.table() or "").split(".")
    if len(parts) < 2 or not all(parts):
        raise OptionError('name the table with its namespace: .load("namespace.table")')
    options.at_most_one("snapshot-id", "as-of-timestamp", "branch", "tag")
    options.at_most_one("token", "clientId")
    if (options.text("clientId") is None) != (options.text("clientSecret") is None):
        raise OptionError("options clientId and clientSecret go together")
    return CatalogTable(
        catalog=options.text("catalog") or "",
        namespace=tuple(parts[:-1]),
        name=parts[-1],
        warehouse=options.text("warehouse"),
        token=options.text("token"),
        client_id=options.text("clientId"),
        client_secret=options.text("clientSecret"),
        token_endpoint=options.text("tokenEndpoint"),
        scope=options.text("scope") or "catalog",
        trusted_origins=tuple((options.text("trustedOrigins") or "").replace(",", " ").split()),
        snapshot_id=options.integer("snapshot-id"),
        as_of_timestamp=options.integer("as-of-timestamp"),
        ref=options.text("branch") or options.text("tag"),
        planning_mode=options.choice("scan-planning-mode", "client", "server"),
        storage=options.starting_with(_STORAGE),
        partition_bytes=options.integer("maxPartitionBytes", 1),
        pushes_filters=options.flag("pushFilters"),
    )
