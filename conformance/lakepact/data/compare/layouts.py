"""The differences between the metadata of two tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lakepact.conformance.evidence.redaction import REDACTED, SECRET_NAMES, redacted
from lakepact.data.compare.model import Column, Difference, Layout

#: Types of Iceberg that Delta does not have, and what a copy has in their place.
COPIED_AS = {"uuid": "string", "timestamp_ns": "timestamp", "timestamptz_ns": "timestamptz"}
FIXED = re.compile(r"fixed\[\d+\]")


def differences(a: Layout, b: Layout) -> Iterator[Difference]:
    """Yield the differences between two layouts, those of columns first."""
    is_same_format = a.format == b.format
    left, right = ({column.name: column for column in layout.columns} for layout in (a, b))
    for name in dict.fromkeys((*left, *right)):
        if name in left and name in right:
            yield from _of_column(left[name], right[name], is_same_format=is_same_format)
        elif (
            name.rpartition(".")[0] not in left.keys() ^ right.keys()
        ):  # else its parent is the difference
            yield Difference(
                "column", f"column {name}", *(_described(side.get(name)) for side in (left, right))
            )
    orders = [
        [column.name for column in layout.columns if column.name in left.keys() & right.keys()]
        for layout in (a, b)
    ]
    if orders[0] != orders[1]:
        yield Difference("order", "order of columns", *(", ".join(order) for order in orders))
    yield from _unequal("partition", "spec", _listed(a.partition), _listed(b.partition))
    yield from _unequal(
        "identifier", "identifier fields", _listed(a.identifiers), _listed(b.identifiers)
    )
    if is_same_format:
        yield from _unequal("sort", "sort order", _listed(a.sort), _listed(b.sort))
        for name in sorted({*a.properties, *b.properties}):
            values = [layout.properties.get(name) for layout in (a, b)]
            if values[0] != values[1]:
                shown = [
                    value and (REDACTED if SECRET_NAMES.search(name) else redacted(value, ())[:200])
                    for value in values
                ]
                yield Difference("property", f"property {name}", *shown)
    yield from _unequal(
        "format",
        "format version",
        f"{a.format} {a.format_version}".strip(),
        f"{b.format} {b.format_version}".strip(),
    )
    yield from _unequal(
        "snapshots", "number of snapshots or versions", str(a.snapshots), str(b.snapshots)
    )


def _of_column(a: Column, b: Column, *, is_same_format: bool) -> Iterator[Difference]:
    what = f"column {a.name}"
    types = (a.type, b.type) if is_same_format else (_copied(a.type), _copied(b.type))
    if types[0] != types[1]:
        yield Difference("type", what, a.type, b.type)
    if a.required != b.required:
        yield Difference(
            "required", what, *("required" if column.required else "optional" for column in (a, b))
        )
    if is_same_format:
        yield from _unequal("field-id", what, str(a.field_id), str(b.field_id))
        yield from _unequal("doc", what, a.doc, b.doc)


def _copied(kind: str) -> str:
    return "binary" if FIXED.fullmatch(kind) else COPIED_AS.get(kind, kind)


def _described(column: Column | None) -> str | None:
    return (
        None
        if column is None
        else f"{column.type}, {'required' if column.required else 'optional'}"
    )


def _listed(parts: tuple[object, ...]) -> str:
    return ", ".join(map(str, parts)) or "none"


def _unequal(kind: str, what: str, a: str, b: str) -> Iterator[Difference]:
    if a != b:
        yield Difference(kind, what, a, b)
