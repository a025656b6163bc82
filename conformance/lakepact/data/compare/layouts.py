"""The differences between the metadata of two tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from lakepact.conformance.evidence.redaction import REDACTED, SECRET_NAMES, redact
from lakepact.data.compare.model import Column, Difference, Layout

#: Types of Iceberg that Delta does not have, and what a copy has in their place.
COPIED_AS = {
    "uuid": "string",
    "timestamp_ns": "timestamp",
    "timestamptz_ns": "timestamptz",
    "byte": "int",
    "short": "int",
}
FIXED = re.compile(r"fixed\[\d+\]")


def differences(a: Layout, b: Layout) -> Iterator[Difference]:
    """Yield the differences between two layouts, those of columns first."""
    yield from _of_columns(a, b)
    specs = [tuple(map(str, layout.partition)) for layout in (a, b)]
    yield from _unequal("partition", "spec", *specs)
    yield from _unequal("identifier", "identifier fields", a.identifiers, b.identifiers)
    if a.format == b.format:
        # Fields of Delta have no names.
        names = [tuple(filter(None, (each.name for each in side.partition))) for side in (a, b)]
        yield from _unequal("partition-name", "names of partition fields", *names)
        yield from _unequal("sort", "sort order", a.sort, b.sort)
        yield from of_names("property", "property", a.properties, b.properties)
        yield from of_names("ref", "branch or tag", a.refs, b.refs)
    if _shares_files(a.location, b.location):
        yield Difference(
            "location", "the files of B are where those of A are", a.location, b.location
        )
    formats = [(f"{layout.format} {layout.format_version}".strip(),) for layout in (a, b)]
    yield from _unequal("format", "format version", *formats)
    snapshots = [(layout.snapshots,) for layout in (a, b)]
    yield from _unequal("snapshots", "number of snapshots or versions", *snapshots)


def record_differences(a: Layout, b: Layout) -> Iterator[Difference]:
    """Yield whether the metadata of two tables count other numbers of rows."""
    if a.records is not None and b.records is not None and a.records != b.records:
        yield Difference("rows", "rows by the metadata", f"{a.records:,}", f"{b.records:,}")


def _shares_files(a: str, b: str) -> bool:
    """Return whether the files of B are in the bucket of A, or in its folder of this machine."""
    left, right = (urlsplit(location) for location in (a, b))
    if not (a and b) or left.netloc != right.netloc:
        return False
    return bool(left.netloc) or f"{right.path}/".startswith(f"{left.path}/")


def _of_columns(a: Layout, b: Layout) -> Iterator[Difference]:
    left, right = ({column.name: column for column in layout.columns} for layout in (a, b))
    for name in dict.fromkeys((*left, *right)):
        if name in left and name in right:
            yield from _of_column(left[name], right[name], is_same_format=a.format == b.format)
        elif (
            name.rpartition(".")[0] not in left.keys() ^ right.keys()
        ):  # else its parent is the difference
            sides = [_description(side.get(name)) for side in (left, right)]
            yield Difference("column", f"column {name}", sides[0], sides[1], name)
    orders = [
        tuple(column.name for column in layout.columns if column.name in left.keys() & right.keys())
        for layout in (a, b)
    ]
    yield from _unequal("order", "order of columns", *orders)


def _of_column(a: Column, b: Column, *, is_same_format: bool) -> Iterator[Difference]:
    what = f"column {a.name}"
    types = (a.type, b.type) if is_same_format else (_copy_type(a.type), _copy_type(b.type))
    if types[0] != types[1]:
        yield Difference("type", what, a.type, b.type, a.name)
    if a.required != b.required:
        sides = ["required" if column.required else "optional" for column in (a, b)]
        yield Difference("required", what, sides[0], sides[1], a.name)
    if is_same_format:
        for kind, left, right in (
            ("field-id", str(a.field_id), str(b.field_id)),
            ("default", a.default or "none", b.default or "none"),
            ("doc", a.doc or "none", b.doc or "none"),
        ):
            if left != right:
                yield Difference(kind, what, left, right, a.name)


def of_names(
    kind: str, what: str, a: Mapping[str, str], b: Mapping[str, str]
) -> Iterator[Difference]:
    """Yield the names that two sides give other values; secrets are left out."""
    for name in sorted({*a, *b}):
        values = [side.get(name) for side in (a, b)]
        if values[0] != values[1]:
            is_secret = SECRET_NAMES.search(name)
            sides = [
                value and (REDACTED if is_secret else redact(value, ())[:200]) for value in values
            ]
            yield Difference(kind, f"{what} {name}".strip(), sides[0], sides[1])


def _copy_type(kind: str) -> str:
    return "binary" if FIXED.fullmatch(kind) else COPIED_AS.get(kind, kind)


def _description(column: Column | None) -> str | None:
    return (
        None
        if column is None
        else f"{column.type}, {'required' if column.required else 'optional'}"
    )


def _unequal(
    kind: str, what: str, a: Sequence[object], b: Sequence[object]
) -> Iterator[Difference]:
    if a != b:
        sides = [", ".join(map(str, parts)) or "none" for parts in (a, b)]
        yield Difference(kind, what, sides[0], sides[1])
