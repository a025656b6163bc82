"""Metadata files compressed with gzip are registered, and written where a property asks for
them.
"""

from __future__ import annotations

import gzip
import json
import uuid
from typing import Any

import pytest
from pyiceberg.table import StaticTable

from lakepact.reference_server.warehouse.local import LARGEST_DOCUMENT
from raw_requests import Sender
from sample_tables.schemas import SCHEMA
from sample_tables.table_documents import view_version

from .conftest import create, path_of, register, set_property

CODEC = "write.metadata.compression-codec"
GZIP = {CODEC: "gzip"}
SUFFIXES = ["gz.metadata.json", "metadata.json.gz"]


def compressed(created: dict[str, Any], suffix: str, content: bytes | None = None) -> str:
    """Write the metadata of a table into a compressed file of another name and return its
    location.
    """
    location = f"{created['metadata']['location']}/metadata/00007-{uuid.uuid4()}.{suffix}"
    path_of(location).write_bytes(
        gzip.compress(json.dumps(created["metadata"]).encode()) if content is None else content
    )
    return location


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_compressed_metadata_is_registered(within: Sender, suffix: str) -> None:
    created = create(within)
    location = compressed(created, suffix)
    registered = register(within, location)

    assert (registered.status, registered.document) == (
        200,
        {**created, "metadata-location": location},
    )
    assert within("GET", "/tables/u").document == registered.document


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_commit_after_compressed_metadata_has_the_next_number(within: Sender, suffix: str) -> None:
    location = compressed(create(within), suffix)
    register(within, location)
    committed = set_property(within, "u")

    assert path_of(committed["metadata-location"]).name.startswith("00008-")
    assert [entry["metadata-file"] for entry in committed["metadata"]["metadata-log"]] == [location]


def test_compression_follows_the_property(within: Sender) -> None:
    created = create(within, properties=GZIP)
    committed, plain = set_property(within), set_property(within, **{CODEC: "none"})
    locations = [document["metadata-location"] for document in (created, committed, plain)]

    assert [location.endswith(".gz.metadata.json") for location in locations] == [True, True, False]
    assert json.loads(gzip.decompress(path_of(locations[1]).read_bytes())) == committed["metadata"]
    assert json.loads(path_of(locations[2]).read_bytes()) == plain["metadata"]
    assert [path_of(location).name[:5] for location in locations] == ["00000", "00001", "00002"]


def test_pyiceberg_reads_compressed_metadata(within: Sender) -> None:
    created = create(within, properties=GZIP)
    table = StaticTable.from_metadata(created["metadata-location"])

    assert (str(table.metadata.table_uuid), table.properties) == (
        created["metadata"]["table-uuid"],
        GZIP,
    )


def test_view_metadata_is_compressed_where_its_property_asks_for_it(within: Sender) -> None:
    view = {"name": "v", "schema": SCHEMA, "view-version": view_version(), "properties": GZIP}
    created = within("POST", "/views", view).document

    assert (
        json.loads(gzip.decompress(path_of(created["metadata-location"]).read_bytes()))
        == created["metadata"]
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(b"{}")[:-6], "cannot be decompressed"),
        (b"\x1f\x8b" + b"\0" * 30, "cannot be decompressed"),
        (gzip.compress(b"[]"), "does not hold valid table metadata"),
        (None, f"larger than {LARGEST_DOCUMENT} bytes"),
    ],
    ids=["torn", "broken", "no object", "large"],
)
def test_unusable_compressed_metadata_returns_400(
    within: Sender, content: bytes | None, reason: str
) -> None:
    content = content or gzip.compress(b"{" + b" " * LARGEST_DOCUMENT, compresslevel=1)
    answer = register(within, compressed(create(within), SUFFIXES[0], content))

    assert (answer.error, reason in answer.message) == ((400, "BadRequestException"), True), (
        answer.message
    )
    assert within("HEAD", "/tables/u").status == 404
