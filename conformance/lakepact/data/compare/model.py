"""Tables of either side, pinned, and what a comparison reports about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lakepact.conformance.evidence.arrow import Schema
from lakepact.conformance.evidence.redaction import redact

ICEBERG, DELTA = "iceberg", "delta"
TABLE, NAMESPACE, VIEW = "table", "namespace", "view"
#: Kinds of differences that make a comparison fail, and the others, which are only reported.
FAILING = (
    NAMESPACE,
    VIEW,
    TABLE,
    "column",
    "type",
    "required",
    "default",
    "partition",
    "location",
    "rows",
    "values",
    "row",
    "fact",
)
INFORMATION = (
    "order",
    "doc",
    "field-id",
    "identifier",
    "partition-name",
    "sort",
    "property",
    "ref",
    "format",
    "snapshots",
)


class CannotCompare(Exception):
    """A table or catalog cannot be read or compared; the message says why, and what to do."""


@dataclass(frozen=True)
class Column:
    """A column or a part of a nested column, in the words of Iceberg."""

    name: str  #: `address.city`, `tags.element`, `prices.value`
    type: str
    required: bool
    field_id: int | None = None
    doc: str = ""
    default: str = ""  #: `initial 3, write 4`


@dataclass(frozen=True)
class PartitionField:
    """One field of a partition spec."""

    transform: str  #: `identity`, `day`, `bucket[16]`
    source: str
    name: str = ""

    def __str__(self) -> str:
        return self.source if self.transform == "identity" else f"{self.transform}({self.source})"


@dataclass(frozen=True)
class Layout:
    """The metadata of a table."""

    format: str
    columns: tuple[Column, ...]
    partition: tuple[PartitionField, ...] = ()
    sort: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict[str, str])
    snapshots: int | None = None
    format_version: str = ""
    location: str = ""
    refs: Mapping[str, str] = field(default_factory=dict[str, str])  #: `branch` or `tag` by name
    records: int | None = None  #: as the metadata count rows; None where rows of files are deleted


@dataclass(frozen=True)
class PinnedTable:
    """A table at one snapshot or version."""

    name: str
    pin: str  #: `snapshot 4711, 00003-….metadata.json` or `version 3 of` the id of the table
    layout: Layout
    schema: Schema  #: of its rows, as Arrow has them
    batches: Callable[[], Iterator[Any]] = field(
        repr=False
    )  #: yields its record batches, the same rows at each call
    frame: Callable[[Any], Any] = field(repr=False)  #: returns its DataFrame in a Spark session


@dataclass(frozen=True)
class Difference:
    """One difference between both sides of a table; `None` stands for something that a side
    lacks.
    """

    kind: str  #: one of `FAILING` or `INFORMATION`
    what: str
    a: str | None = None
    b: str | None = None
    column: str | None = None  #: with the path within it: `place.floor`, `tags[3]`
    row: str | None = None  #: its key: `id=7`


@dataclass(frozen=True)
class Compared:
    """The comparison of one table, namespace or view: a line of the report."""

    table: str
    other: str  #: its name on side B
    pins: tuple[str | None, str | None] = (None, None)
    rows: tuple[int | None, int | None] = (None, None)
    differences: tuple[Difference, ...] = ()
    information: tuple[Difference, ...] = ()
    error: str = ""  #: why it could not be compared
    key: tuple[str, ...] = ()  #: the columns that found rows on both sides
    seconds: float = 0.0
    options: str = ""  #: that decide about differences; another run with others compares again
    kind: str = TABLE  #: or `NAMESPACE` or `VIEW`
    scope: str = ""  #: the part that was compared; empty if options leave nothing out


def quantity(count: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def message(wrong: Exception, secrets: Sequence[str]) -> str:
    """Return the line of an error that says most, without secrets: the last one of a Python
    traceback, else the first.
    """
    lines = [
        line.strip()
        for line in str(wrong).replace(" Detail: Python exception: ", "\n").splitlines()
        if line.strip() and not line.lstrip().startswith("at ")
    ] or [""]
    errors = [line for line in lines if "Error: " in line or "Exception: " in line]
    kind = "" if isinstance(wrong, CannotCompare) else f"{type(wrong).__name__}: "
    return redact(kind + (errors or lines)[-1 if errors else 0], secrets)[:500]
