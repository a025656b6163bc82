"""Metadata of Iceberg tables and views in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from lakepact.client.command import layout
from lakepact.client.command.names import whole
from lakepact.client.text import json_line, plain

Document = dict[str, Any]
#: Snapshots that are shown unless all are wanted.
NEWEST = 10
_1970 = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB")


def table_in_words(
    name: str, result: Document, *, cells: int | None, every_snapshot: bool
) -> Iterator[str]:
    """Yield the lines that describe a table.

    Args:
        name: Its name.
        result: The answer of `loadTable`.
        cells: The maximum width of lines; None for unlimited.
        every_snapshot: Whether to show all received snapshots, or only the newest one.
    """
    metadata: Document = result["metadata"]
    schema = (
        _current(metadata, "schemas", "schema-id", "current-schema-id")
        or metadata.get("schema")
        or {}
    )
    spec = _current(metadata, "partition-specs", "spec-id", "default-spec-id") or {
        "fields": metadata.get("partition-spec") or []
    }
    order = _current(metadata, "sort-orders", "order-id", "default-sort-order-id") or {}
    columns = dict(_names(schema))
    snapshots = metadata.get("snapshots") or []
    current = next(
        (
            snapshot
            for snapshot in snapshots
            if snapshot.get("snapshot-id") == metadata.get("current-snapshot-id")
        ),
        None,
    )
    yield plain(f"{name}: a table of format version {metadata.get('format-version')}")
    facts = [
        ("uuid", metadata.get("table-uuid")),
        ("location", metadata.get("location")),
        ("metadata", result.get("metadata-location")),
        ("changed", moment(metadata.get("last-updated-ms"))),
        ("size", sizes((current or {}).get("summary") or {})),
        ("sequence number", metadata.get("last-sequence-number")),
    ]
    yield from facts_in_words(facts)
    yield from schema_in_words(schema, cells)
    yield from _part(
        "Partitioned by",
        ("field id", "name", "transform"),
        _partitions(spec, columns),
        cells,
        none="not partitioned",
    )
    yield from _part("Sorted by", ("", "", ""), _sorting(order, columns), cells, none="not sorted")
    yield from properties_in_words(metadata.get("properties") or {}, cells)
    refs = [_ref(ref, reference) for ref, reference in sorted((metadata.get("refs") or {}).items())]
    yield from _part("Branches and tags", ("name", "is", "snapshot", "kept"), refs, cells)
    newest = _newest_first(snapshots)[: None if every_snapshot else NEWEST]
    heads = ("", "snapshot", "at", "operation", "records", "files", "size", "schema")
    marks = [_snapshot(snapshot, is_current=snapshot is current) for snapshot in newest]
    yield from _part(
        "Snapshots",
        heads,
        marks,
        cells,
        none="no snapshot yet",
        right=(False, False, False, False, True, True, True, True),
    )
    if len(newest) < len(snapshots):
        yield f"({len(snapshots) - len(newest)} earlier ones: --snapshots all shows them)"


def view_in_words(name: str, result: Document, *, cells: int | None) -> Iterator[str]:
    """Yield the lines that say what a view is; the arguments are those of `table_in_words`,
    `result` being what `loadView` answered.
    """
    metadata: Document = result["metadata"]
    version = _current(metadata, "versions", "version-id", "current-version-id") or {}
    yield plain(f"{name}: a view of format version {metadata.get('format-version')}")
    facts = [
        ("uuid", metadata.get("view-uuid")),
        ("location", metadata.get("location")),
        ("metadata", result.get("metadata-location")),
        ("version", f"{version.get('version-id')} of {moment(version.get('timestamp-ms'))}"),
        ("names are of", whole(version.get("default-namespace") or ())),
        ("in catalog", version.get("default-catalog")),
    ]
    yield from facts_in_words(facts)
    schema: Document = next(
        (
            schema
            for schema in metadata.get("schemas") or ()
            if schema.get("schema-id") == version.get("schema-id")
        ),
        {},
    )
    yield from schema_in_words(schema, cells)
    for representation in version.get("representations") or ():
        yield ""
        if "sql" not in representation:
            yield plain(
                f"A representation of type {representation.get('type')}, which is not shown"
            )
            continue
        yield plain(f"SQL of {representation.get('dialect')}")
        # A statement is read whole, so it is not cut.
        for line in str(representation.get("sql")).splitlines():
            yield f"  {plain(line)}"
    yield from properties_in_words(metadata.get("properties") or {}, cells)
    versions = [
        (version.get("version-id"), moment(version.get("timestamp-ms")))
        for version in metadata.get("versions") or ()
    ]
    yield from _part("Versions", ("version", "at"), versions, cells)


def schema_in_words(schema: Document, cells: int | None) -> Iterator[str]:
    """Yield the lines of a schema: what is part of a column stands below it, indented."""
    keys: set[int] = set(schema.get("identifier-field-ids") or ())
    rows = list(_columns(schema.get("fields") or (), 0, keys))
    title = "Schema" if schema.get("schema-id") is None else f"Schema {schema['schema-id']}"
    yield from _part(
        title, ("id", "name", "type", "", ""), rows, cells, none="no columns", right=(True,)
    )


def properties_in_words(properties: Mapping[str, Any], cells: int | None) -> Iterator[str]:
    """Yield the lines of properties; none without any."""
    yield from _part("Properties", ("", ""), sorted(properties.items()), cells)


def facts_in_words(facts: Sequence[tuple[str, Any]]) -> Iterator[str]:
    """Yield the lines of known facts, uncut, so that they can be copied."""
    yield from layout.table(
        ("", ""), [fact for fact in facts if fact[1] not in {None, ""}], cells=None
    )


def moment(milliseconds: Any) -> str:
    """Return a time in UTC, from milliseconds since 1970."""
    if not isinstance(milliseconds, int):
        return ""
    try:
        return f"{(_1970 + timedelta(milliseconds=milliseconds)).replace(tzinfo=None).isoformat(sep=' ', timespec='milliseconds')} UTC"
    except OverflowError:
        return f"{milliseconds} ms after 1970"


def amount(size: Any) -> str:
    """Return bytes in the unit that suits them."""
    try:
        left = float(size)
    except (TypeError, ValueError):
        return ""
    if left < 1024:
        return f"{int(left)} B"
    unit = ""
    for unit in _UNITS:  # noqa: B007 - the last one stays
        left /= 1024
        if left < 1024:
            break
    return f"{left:.1f} {unit}"


def sizes(summary: Mapping[str, Any]) -> str:
    """Return the size of the table by a snapshot's summary; empty if it is not there."""
    words = [
        f"{summary[member]} {word}"
        for member, word in (
            ("total-records", "records"),
            ("total-data-files", "data files"),
            ("total-delete-files", "delete files"),
        )
        if summary.get(member) not in {None, "0"} or (member in summary and word == "records")
    ]
    return ", ".join(filter(None, [*words, amount(summary.get("total-files-size"))]))


def _current(metadata: Document, member: str, id_name: str, current: str) -> Document | None:
    id_ = metadata.get(current)
    entries: Sequence[Document] = metadata.get(member) or ()
    return next((entry for entry in entries if entry.get(id_name) == id_), None)


def _part(
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[object]],
    cells: int | None,
    *,
    none: str = "",
    right: Sequence[bool] = (),
) -> Iterator[str]:
    if not rows and not none:
        return
    yield ""
    if not rows:
        yield f"{title}: {none}"
        return
    yield plain(title)
    for line in layout.table(
        heads, rows, cells=None if cells is None else max(1, cells - 2), right=right
    ):
        yield f"  {line}" if line else ""


def _columns(
    fields: Sequence[Document], depth: int, keys: set[int]
) -> Iterator[tuple[object, ...]]:
    for field in fields:
        kind = field.get("type")
        notes = [
            "key" if field.get("id") in keys else "",
            str(field.get("doc") or ""),
            *(
                f"{name} {json_line(field[name])}"
                for name in ("initial-default", "write-default")
                if field.get(name) is not None
            ),
        ]
        presence = "required" if field.get("required") else "optional"
        yield (
            field.get("id"),
            "  " * depth + str(field.get("name")),
            _kind(kind),
            presence,
            ", ".join(filter(None, notes)),
        )
        yield from _columns(_inner(kind), depth + 1, keys)


def _kind(kind: Any) -> str:
    return str(kind.get("type")) if isinstance(kind, dict) else str(kind)


def _inner(kind: Any) -> Sequence[Document]:
    if not isinstance(kind, dict):
        return ()
    if kind.get("type") == "list":
        return (
            {
                "id": kind.get("element-id"),
                "name": "element",
                "type": kind.get("element"),
                "required": kind.get("element-required"),
            },
        )
    if kind.get("type") == "map":
        return (
            {"id": kind.get("key-id"), "name": "key", "type": kind.get("key"), "required": True},
            {
                "id": kind.get("value-id"),
                "name": "value",
                "type": kind.get("value"),
                "required": kind.get("value-required"),
            },
        )
    return kind.get("fields") or ()


def _names(schema: Document) -> Iterator[tuple[Any, str]]:
    def below(fields: Sequence[Document], before: tuple[str, ...]) -> Iterator[tuple[Any, str]]:
        for field in fields:
            path = (*before, str(field.get("name")))
            yield field.get("id"), whole(path)
            yield from below(_inner(field.get("type")), path)

    yield from below(schema.get("fields") or (), ())


def _transform_text(transform: Any, sources: Sequence[Any], columns: Mapping[Any, str]) -> str:
    names = ", ".join(columns.get(source, f"column {source}") for source in sources)
    return names if transform == "identity" else f"{transform}({names})"


def _sources(field: Document) -> Sequence[Any]:
    return field.get("source-ids") or [field.get("source-id")]


def _partitions(spec: Document, columns: Mapping[Any, str]) -> list[tuple[object, ...]]:
    return [
        (
            field.get("field-id"),
            field.get("name"),
            _transform_text(field.get("transform"), _sources(field), columns),
        )
        for field in spec.get("fields") or ()
    ]


def _sorting(order: Document, columns: Mapping[Any, str]) -> list[tuple[object, ...]]:
    return [
        (
            _transform_text(field.get("transform"), _sources(field), columns),
            field.get("direction"),
            field.get("null-order"),
        )
        for field in order.get("fields") or ()
    ]


def _ref(name: str, ref: Document) -> tuple[object, ...]:
    retention = [
        f"{member} {ref[member]}"
        for member in ("max-ref-age-ms", "max-snapshot-age-ms", "min-snapshots-to-keep")
        if member in ref
    ]
    return name, ref.get("type"), ref.get("snapshot-id"), ", ".join(retention)


def _newest_first(snapshots: Sequence[Document]) -> list[Document]:
    return sorted(
        snapshots,
        key=lambda one: (one.get("sequence-number") or 0, one.get("timestamp-ms") or 0),
        reverse=True,
    )


def _snapshot(one: Document, *, is_current: bool) -> tuple[object, ...]:
    summary = one.get("summary") or {}
    return (
        "*" if is_current else "",
        one.get("snapshot-id"),
        moment(one.get("timestamp-ms")),
        summary.get("operation", ""),
        summary.get("total-records", ""),
        summary.get("total-data-files", ""),
        amount(summary.get("total-files-size")),
        one.get("schema-id", ""),
    )
