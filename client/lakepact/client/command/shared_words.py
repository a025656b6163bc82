"""The description of a shared table, as JSON and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.client.command import layout
from lakepact.client.command.iceberg_words import amount, facts_in_words, properties_in_words
from lakepact.client.delta_sharing.schemas import Array, Map, Struct
from lakepact.client.text import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.client.delta_sharing.description import Description
    from lakepact.client.delta_sharing.schemas import Field, Type


def shared_document(description: Description) -> dict[str, Any]:
    """Return the description with the contract's names, for both formats; missing members are left
    out.
    """
    metadata, protocol = description.metadata, description.protocol
    document = {
        "version": description.version,
        "protocol": {
            "minReaderVersion": protocol.min_reader_version,
            "readerFeatures": sorted(protocol.reader_features) or None,
        },
        "metaData": {
            "id": metadata.id,
            "name": metadata.name,
            "description": metadata.description,
            "schemaString": metadata.schema_string,
            "partitionColumns": list(metadata.partition_columns),
            "configuration": dict(metadata.configuration),
            "size": metadata.size,
            "numFiles": metadata.num_files,
            "location": metadata.location,
            "auxiliaryLocations": list(metadata.auxiliary_locations) or None,
            "accessModes": None if metadata.access_modes is None else list(metadata.access_modes),
        },
    }
    return {
        name: {member: value for member, value in part.items() if value is not None}
        if isinstance(part, dict)
        else part
        for name, part in document.items()
        if part is not None
    }


def shared_in_words(name: str, description: Description, *, cells: int | None) -> Iterator[str]:
    """Yield the lines that describe a shared table.

    Args:
        name: Its name.
        description: The server's description.
        cells: The maximum width of lines; None for unlimited.

    Raises:
        ValueError: Its schema is not a Delta schema.
    """
    metadata, protocol = description.metadata, description.protocol
    yield plain(f"{name}: a shared table")
    features = (
        f", {', '.join(sorted(protocol.reader_features))}" if protocol.reader_features else ""
    )
    files = None if metadata.num_files is None else f"{metadata.num_files} files"
    facts = [
        ("version", description.version),
        ("id", metadata.id),
        ("called", metadata.name),
        ("description", metadata.description),
        ("size", ", ".join(filter(None, [files, amount(metadata.size)]))),
        ("reader version", f"{protocol.min_reader_version}{features}"),
        ("access by", ", ".join(metadata.access_modes or ("url",))),
        ("location", metadata.location),
        ("partitioned by", ", ".join(metadata.partition_columns) or "nothing"),
    ]
    yield from facts_in_words(facts)
    yield ""
    yield "Schema"
    rows = [row for field in metadata.schema.fields for row in _column(field, 0)]
    has_ids = any(row[0] is not None for row in rows)
    heads = ("id", "name", "type", "", "")
    values = [("" if row[0] is None else row[0], *row[1:])[0 if has_ids else 1 :] for row in rows]
    for line in layout.table(
        heads[0 if has_ids else 1 :],
        values,
        cells=None if cells is None else max(1, cells - 2),
        right=(has_ids,),
    ):
        yield f"  {line}" if line else ""
    yield from properties_in_words(metadata.configuration, cells)


def _column(field: Field, depth: int) -> Iterator[tuple[object, ...]]:
    comment = field.metadata.get("comment")
    yield (
        field.field_id,
        "  " * depth + field.name,
        _kind(field.type),
        _presence(field.nullable),
        comment or "",
    )
    yield from _inner(field.type, depth + 1)


def _inner(kind: Type, depth: int) -> Iterator[tuple[object, ...]]:
    space = "  " * depth
    if isinstance(kind, Struct):
        for field in kind.fields:
            yield from _column(field, depth)
    elif isinstance(kind, Array):
        yield None, f"{space}element", _kind(kind.element), _presence(kind.contains_null), ""
        yield from _inner(kind.element, depth + 1)
    elif isinstance(kind, Map):
        yield None, f"{space}key", _kind(kind.key), _presence(False), ""
        yield from _inner(kind.key, depth + 1)
        yield None, f"{space}value", _kind(kind.value), _presence(kind.value_contains_null), ""
        yield from _inner(kind.value, depth + 1)


def _kind(kind: Type) -> str:
    return type(kind).__name__.lower() if isinstance(kind, Struct | Array | Map) else str(kind)


def _presence(nullable: bool) -> str:  # noqa: FBT001 - the one thing that it says
    return "optional" if nullable else "required"
