"""The lines of an answer as frozen values, the same for both response formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from lakepact.client.delta_sharing.schemas import Schema, parse
from lakepact.client.redaction import without_query

#: How an answer is written: in the protocol's own words, or as actions of the table's log.
Format: TypeAlias = Literal["parquet", "delta"]
#: Kinds of file lines: in the snapshot, added, removed, or with changed rows of a version.
Kind: TypeAlias = Literal["file", "add", "remove", "cdf"]
#: How the data of a table can be reached: `url`, `dir`, or a mode of a later version of the
#: contract.
AccessMode: TypeAlias = str


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """The requirements for readers of the table."""

    format: Format
    min_reader_version: int
    reader_features: frozenset[str] = frozenset()
    #: The version that it belongs to, where the server says it.
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The metadata of the table."""

    format: Format
    id: str
    name: str | None = None
    description: str | None = None
    schema_string: str = field(repr=False)
    partition_columns: tuple[str, ...]
    configuration: Mapping[str, str] = field(default_factory=dict[str, str])
    #: The version that it belongs to, where the server says it.
    version: int | None = None
    #: Bytes of all files.
    size: int | None = None
    num_files: int | None = None
    #: May hold a user and a password.
    location: str | None = field(default=None, repr=False)
    auxiliary_locations: tuple[str, ...] = field(default=(), repr=False)
    #: None where the server does not say it, which means by URLs only.
    access_modes: tuple[AccessMode, ...] | None = None

    @property
    def schema(self) -> Schema:
        """The columns.

        Raises:
            ValueError: The schema is not one of Delta.
        """
        return parse(self.schema_string)

    @property
    def column_mapping(self) -> str:
        """How columns are found in files: by `name`, by `id`, or `none` where they are called there
        as they are here.
        """
        return (
            self.configuration.get("delta.columnMapping.mode", "none")
            if self.format == "delta"
            else "none"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionVector:
    """The deletion vector of a file."""

    #: `i` for here, `p` and `u` for a file.
    storage_type: str
    path_or_inline: str = field(repr=False)
    offset: int | None
    size: int
    #: How many rows are deleted.
    cardinality: int


class Facts(NamedTuple):
    """The line of one data file; `repr()` shows no signature."""

    kind: Kind
    url: str
    #: Names the file for ever; URLs of the same file differ.
    id: str
    #: By the names that columns have in files.
    partition_values: Mapping[str, str | None]
    #: Bytes; None only for removed files in delta format.
    size: int | None
    #: Its statistics as JSON text.
    stats: str | None
    version: int | None
    #: When the version came to be, in milliseconds since 1970.
    timestamp: int | None
    #: When the URL ceases to work, in milliseconds since 1970.
    expiration: int | None
    deletion_vector: DeletionVector | None
    deletion_vector_id: str | None
    #: Whether it was told as an action of the table's log.
    is_delta: bool

    def __repr__(self) -> str:
        members = {name: value for name, value in self._asdict().items() if value is not None} | {
            "url": without_query(self.url)
        }
        return f"Facts({', '.join(f'{name}={value!r}' for name, value in members.items())})"


class FileBlock:
    """Files that arrived together; their lines are parsed at once, at the first access to one of
    them.
    """

    __slots__ = ("_facts", "_read")

    def __init__(self, read: Callable[[], list[Facts]]) -> None:
        self._read: Callable[[], list[Facts]] | None = read
        self._facts: list[Facts] = []

    @property
    def facts(self) -> list[Facts]:
        """Return the line of each file.

        Raises:
            BadReply: A line does not match the contract.
        """
        read = self._read
        if read is not None:
            self._facts = read()
            # The bytes are needed no more.
            self._read = None
        return self._facts


#: The block of files that are already parsed.
_NOWHERE = FileBlock(list[Facts])


class SharedFile:
    """A data file; `repr()` shows no signature.

    Its line is parsed at the first access to a member, so that listings of millions of files are
    fast. Access to a file whose line does not match the contract raises `BadReply`.
    """

    __slots__ = ("_block", "_facts", "_place")

    def __init__(self, block: FileBlock, place: int) -> None:
        self._block = block
        self._place = place
        self._facts: Facts | None = None

    @classmethod
    def of(cls, facts: Facts) -> SharedFile:
        """Return a file from a parsed line."""
        file = cls(_NOWHERE, 0)
        file._facts = facts
        return file

    def __reduce__(self) -> tuple[Callable[[Facts], SharedFile], tuple[Facts]]:
        return SharedFile.of, (self.facts,)

    @property
    def facts(self) -> Facts:
        """All that is told of it, apart from the files that it arrived with."""
        facts = self._facts
        if facts is None:
            facts = self._facts = self._block.facts[self._place]
        return facts

    @property
    def kind(self) -> Kind:
        """Whether the snapshot has it, or a version added it, removed it, or wrote changed rows to
        it.
        """
        return (self._facts or self.facts).kind

    @property
    def url(self) -> str:
        """The pre-signed URL of the file."""
        return (self._facts or self.facts).url

    @property
    def id(self) -> str:
        """The stable id of the file; its URLs differ."""
        return (self._facts or self.facts).id

    @property
    def partition_values(self) -> Mapping[str, str | None]:
        """The values of partition columns as text, by the names that columns have in files."""
        return (self._facts or self.facts).partition_values

    @property
    def size(self) -> int | None:
        """Its bytes; None only for removed files in delta format."""
        return (self._facts or self.facts).size

    @property
    def stats(self) -> str | None:
        """Its statistics as JSON text."""
        return (self._facts or self.facts).stats

    @property
    def statistics(self) -> Mapping[str, Any]:
        """Its statistics; empty where there are none, or none that can be read."""
        try:
            read: Any = json.loads(self.stats or "{}")
        except (ValueError, RecursionError):
            return {}
        return read if isinstance(read, dict) else {}

    @property
    def version(self) -> int | None:
        """The version that it belongs to, where the server says it."""
        return (self._facts or self.facts).version

    @property
    def timestamp(self) -> int | None:
        """When the version came to be, in milliseconds since 1970."""
        return (self._facts or self.facts).timestamp

    @property
    def expiration(self) -> int | None:
        """When the URL ceases to work, in milliseconds since 1970."""
        return (self._facts or self.facts).expiration

    @property
    def deletion_vector(self) -> DeletionVector | None:
        """The deletion vector of the file."""
        return (self._facts or self.facts).deletion_vector

    @property
    def deletion_vector_id(self) -> str | None:
        """The stable id of its deletion vector's file."""
        return (self._facts or self.facts).deletion_vector_id

    @property
    def is_delta(self) -> bool:
        """Whether it was told as an action of the table's log."""
        return (self._facts or self.facts).is_delta

    def __eq__(self, other: object) -> bool:
        return self.facts == other.facts if isinstance(other, SharedFile) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.id, self.kind, self.version))

    def __repr__(self) -> str:
        return repr(self.facts).replace("Facts", "SharedFile", 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndOfStream:
    """The content of an endStreamAction."""

    #: Asks for the same files with new URLs.
    refresh_token: str | None = field(default=None, repr=False)
    #: Asks for the next page.
    next_page_token: str | None = field(default=None, repr=False)
    #: When the first of the URLs ceases to work, in milliseconds since 1970.
    min_url_expiration: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryStatus:
    """The state of a query that runs in the background."""

    query_id: str
    #: `pending`, `failed`, or a state of a later version of the contract.
    status: str


Line: TypeAlias = Protocol | Metadata | SharedFile
