"""Tables at rest: the metadata file in the warehouse, and the record whose bytes are sent when the
table is loaded.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import re
import uuid
import zlib
from typing import TYPE_CHECKING

import orjson

from lakepact.reference_server.http.json_text import NotJson, read_json
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from lakepact.reference_server.iceberg_rest.tables.etags import tag_of, tag_of_file
from lakepact.reference_server.storage.store import NotKept, Record
from lakepact.reference_server.warehouse.local import (
    LARGEST_DOCUMENT,
    Outside,
    Unreadable,
    Unwritable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakepact.generated.iceberg_rest.documents import TableMetadata, ViewMetadata
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.warehouse.local import Warehouse

#: the property of tables and views that says where their metadata files shall go
METADATA_PATH = "write.metadata.path"
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
NUMBER = re.compile(r"[^/]*?([0-9]{1,9})-[^/]*\.metadata\.json(?:\.gz)?")
#: the property of tables and views that says how their metadata files are compressed
CODEC = "write.metadata.compression-codec"
COMPRESSED = (
    ".gz.metadata.json",
    ".metadata.json.gz",
)  #: how the names of metadata files compressed with gzip end
GZIP = b"\x1f\x8b"  #: how their content begins


def check_in_warehouse(warehouse: Warehouse, location: str) -> None:
    """Check that the files of a table or view would lie in the warehouse.

    Raises:
        Problem: 400, the location is outside.
    """
    try:
        warehouse.check_location(location)
    except Outside as outside:
        raise bad_request(str(outside)) from None


def prepare(warehouse: Warehouse, location: str) -> None:
    """Make the folders of a table, for writers that expect them."""
    try:
        warehouse.prepare(location, f"{location}/metadata")
    except Unwritable as unwritable:
        raise bad_request(str(unwritable)) from None
    except OSError as error:
        raise storage_failure(error) from None


def next_location(
    warehouse: Warehouse, metadata: TableMetadata | ViewMetadata, former: str | None
) -> str:
    """Return the next metadata file of a table or view, numbered after the previous one; one
    without a number counts as the first.
    """
    number = 0 if former is None else number_of(former) + 1
    suffix = COMPRESSED[0] if _wish(metadata, CODEC).lower() == "gzip" else ".metadata.json"
    return f"{_folder(warehouse, metadata)}/{number:05d}-{uuid.uuid4()}{suffix}"


def number_of(location: str) -> int:
    """Return the number in the name of a metadata file, 0 if it has none."""
    match = NUMBER.fullmatch(location, location.rfind("/") + 1)
    return int(match[1]) if match else 0


def _wish(metadata: TableMetadata | ViewMetadata, name: str) -> str:
    return str((metadata.get("properties") or {}).get(name) or "")


def _folder(warehouse: Warehouse, metadata: TableMetadata | ViewMetadata) -> str:
    wish = _wish(metadata, METADATA_PATH)
    if wish:
        # A wish, and properties are free text: one that leads out of the warehouse is not followed,
        # and makes no commit fail.
        with contextlib.suppress(Outside):
            warehouse.check_location(wish)
            return wish.rstrip("/")
    return f"{metadata['location'].rstrip('/')}/metadata"


def write_next(
    warehouse: Warehouse, metadata: TableMetadata | ViewMetadata, former: str | None
) -> tuple[str, bytes]:
    """Write the next metadata file of a table or view, and return its location and its text."""
    text = orjson.dumps(metadata)
    location = next_location(warehouse, metadata, former)
    write(warehouse, location, text)
    return location, text


def write_metadata(warehouse: Warehouse, metadata: TableMetadata, *, former: str | None) -> Record:
    """Write a new metadata file, and return the new record of the table."""
    location, text = write_next(warehouse, metadata, former)
    return record_of(metadata, location, text, tag=tag_of_file(location))


def write(warehouse: Warehouse, location: str, text: bytes) -> None:
    """Write a metadata file, which is readable afterwards until a power failure.

    This does not wait for the disk, which made batches of a file store two to three times as slow.
    It is not needed: the store holds the same bytes and waits for the disk itself, and recovery
    after a power failure writes the file again (`recovery`).

    Raises:
        Problem: 400, the location is invalid.
        NotKept: there is no room, or the disk fails.
    """
    try:
        warehouse.write(location, encode(location, text))
    except Unwritable as unwritable:
        raise bad_request(str(unwritable)) from None
    except OSError as error:
        raise storage_failure(error) from None


def encode(location: str, text: bytes) -> bytes:
    """Return the content of a metadata file, compressed if its name says so."""
    return gzip.compress(text, mtime=0) if location.endswith(COMPRESSED) else text


def decode(location: str, content: bytes) -> bytes:
    """Return the text of a metadata file, whose content tells whether it is compressed.

    Raises:
        Unreadable: it cannot be decompressed, or is too large then.
    """
    if not content.startswith(GZIP):
        return content
    try:
        with gzip.open(io.BytesIO(content)) as file:
            text = file.read(LARGEST_DOCUMENT + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Unreadable(f"{location[:300]!r} cannot be decompressed with gzip: {error}") from None
    if len(text) > LARGEST_DOCUMENT:
        raise Unreadable(
            f"{location[:300]!r} is larger than {LARGEST_DOCUMENT} bytes when decompressed"
        )
    return text


def read_text(warehouse: Warehouse, location: str) -> bytes:
    """Return the text of a metadata file that a request names.

    Raises:
        Outside: the location is not in the warehouse.
        Unreadable: there is no metadata file.
    """
    return decode(location, warehouse.read(location))


def storage_failure(error: OSError) -> NotKept:
    """Return the answer to a change whose files could not be written."""
    status = 507 if error.errno in NO_ROOM else 503
    return NotKept(
        f"the change was not made: its files cannot be written: {error.strerror}", status
    )


def record_of(
    metadata: TableMetadata, location: str, text: bytes, *, tag: bytes | None = None
) -> Record:
    """Return the record of a table whose metadata file is at a location.

    Commits and loads return the same bytes; credentials are not part of them.

    Args:
        metadata: the table's metadata.
        location: its metadata file.
        text: the bytes of the metadata file.
        tag: the ETag of this state; by default derived from the bytes.
    """
    body = whole(location, text)
    return Record(
        "table",
        {"metadata-location": location, "metadata": metadata},
        body,
        tag_of(body) if tag is None else tag,
    )


def whole(location: str, text: bytes) -> bytes:
    """Return a table or view as it is answered: its metadata file's location, and the content."""
    return b'{"metadata-location":' + orjson.dumps(location) + b',"metadata":' + text + b"}"


def metadata_files_elsewhere(warehouse: Warehouse, table: Document) -> list[str]:
    """Return the metadata files of a table outside its location, as far as the caller may choose
    their places.
    """
    metadata = table["metadata"]
    below = f"{metadata['location'].rstrip('/')}/"
    locations = {
        table["metadata-location"],
        *(entry["metadata-file"] for entry in metadata.get("metadata-log") or ()),
    }
    result: list[str] = []
    for location in locations:
        if not location.startswith(below):
            with contextlib.suppress(Outside):
                warehouse.check_location(location)
                result.append(location)
    return result


def forget_metadata_files(warehouse: Warehouse, locations: Iterable[str], uuid: str) -> None:
    """Remove metadata files that belong to the table with this UUID.

    A registered log can name arbitrary files.
    """
    for location in locations:
        with contextlib.suppress(Outside, Unreadable, NotJson):
            document = read_json(decode(location, warehouse.read(location)))
            if isinstance(document, dict) and document.get("table-uuid") == uuid:
                warehouse.forget(location)
