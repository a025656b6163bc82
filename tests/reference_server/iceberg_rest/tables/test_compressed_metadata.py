"""Metadata files compressed with gzip are registered, and written where a property asks for
them.
"""

from __future__ import annotations

import gzip
import json
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.table import StaticTable

from lakepact.reference_server import Server, running
from lakepact.reference_server.warehouse.local import LARGEST_DOCUMENT
from raw_requests import Sender
from sample_tables.schemas import SCHEMA
from sample_tables.table_documents import view_version

GZIP = {"write.metadata.compression-codec": "gzip"}
SUFFIXES = ["gz.metadata.json", "metadata.json.gz"]


@pytest.fixture(scope="module")
def files() -> Iterator[Server]:
    """Yield a server whose tables are files."""
    with running() as server:
        yield server


@pytest.fixture
def send(files: Server) -> Iterator[Callable[..., Any]]:
    """Yield a function that sends requests about a new namespace."""
    with Sender(files.url) as sender:
        name = f"ns_{uuid.uuid4().hex}"
        assert sender("POST", "/v1/namespaces", {"namespace": [name]}).status == 200
        yield lambda method, path, *rest: sender(method, f"/v1/namespaces/{name}{path}", *rest)


def path_of(location: str) -> Path:
    return Path(location.removeprefix("file://"))


def update(**properties: str) -> dict[str, Any]:
    return {"requirements": [], "updates": [{"action": "set-properties", "updates": properties}]}


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
def test_compressed_metadata_is_registered(send: Sender, suffix: str) -> None:
    created = send("POST", "/tables", {"name": "t", "schema": SCHEMA}).document
    location = compressed(created, suffix)
    registered = send("POST", "/register", {"name": "u", "metadata-location": location})

    assert (registered.status, registered.document) == (
        200,
        {**created, "metadata-location": location},
    )
    assert send("GET", "/tables/u").document == registered.document


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_commit_after_compressed_metadata_has_the_next_number(send: Sender, suffix: str) -> None:
    location = compressed(send("POST", "/tables", {"name": "t", "schema": SCHEMA}).document, suffix)
    send("POST", "/register", {"name": "u", "metadata-location": location})
    committed = send("POST", "/tables/u", update(a="b")).document

    assert path_of(committed["metadata-location"]).name.startswith("00008-")
    assert [entry["metadata-file"] for entry in committed["metadata"]["metadata-log"]] == [location]


def test_compression_follows_the_property(send: Sender) -> None:
    created = send("POST", "/tables", {"name": "t", "schema": SCHEMA, "properties": GZIP}).document
    committed = send("POST", "/tables/t", update(a="b")).document
    plain = send(
        "POST", "/tables/t", update(**{"write.metadata.compression-codec": "none"})
    ).document
    locations = [document["metadata-location"] for document in (created, committed, plain)]

    assert [location.endswith(".gz.metadata.json") for location in locations] == [True, True, False]
    assert json.loads(gzip.decompress(path_of(locations[1]).read_bytes())) == committed["metadata"]
    assert json.loads(path_of(locations[2]).read_bytes()) == plain["metadata"]
    assert [path_of(location).name[:5] for location in locations] == ["00000", "00001", "00002"]


def test_pyiceberg_reads_compressed_metadata(send: Sender) -> None:
    created = send("POST", "/tables", {"name": "t", "schema": SCHEMA, "properties": GZIP}).document
    table = StaticTable.from_metadata(created["metadata-location"])

    assert (str(table.metadata.table_uuid), table.properties) == (
        created["metadata"]["table-uuid"],
        GZIP,
    )


def test_view_metadata_is_compressed_where_its_property_asks_for_it(
    send: Sender,
) -> None:
    created = send(
        "POST",
        "/views",
        {"name": "v", "schema": SCHEMA, "view-version": view_version(), "properties": GZIP},
    ).document

    assert (
        json.loads(gzip.decompress(path_of(created["metadata-location"]).read_bytes()))
        == created["metadata"]
    )


def test_purge_removes_compressed_metadata_that_lies_elsewhere(files: Server, send: Sender) -> None:
    folder = f"{files.service.catalogs[0].warehouse.root}/elsewhere_{uuid.uuid4().hex}"
    send(
        "POST",
        "/tables",
        {"name": "t", "schema": SCHEMA, "properties": {**GZIP, "write.metadata.path": folder}},
    )
    send("DELETE", "/tables/t?purgeRequested=true")

    assert list(path_of(folder).iterdir()) == []


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
    send: Sender, content: bytes | None, reason: str
) -> None:
    content = content or gzip.compress(b"{" + b" " * LARGEST_DOCUMENT, compresslevel=1)
    created = send("POST", "/tables", {"name": "t", "schema": SCHEMA}).document
    answer = send(
        "POST",
        "/register",
        {"name": "u", "metadata-location": compressed(created, SUFFIXES[0], content)},
    )

    assert (answer.error, reason in answer.message) == ((400, "BadRequestException"), True), (
        answer.message
    )
    assert send("HEAD", "/tables/u").status == 404


def test_lost_compressed_metadata_is_written_again(tmp_path: Path) -> None:
    kept = tmp_path / ".lakepact"
    with running(warehouse=str(tmp_path), store="file") as server, Sender(server.url) as sender:
        sender("POST", "/v1/namespaces", {"namespace": ["ns"]})
        created = sender(
            "POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA, "properties": GZIP}
        ).document
        shutil.copytree(kept, tmp_path / "as it is")
    shutil.rmtree(kept)
    (tmp_path / "as it is").rename(kept)
    path = path_of(created["metadata-location"])
    before = path.read_bytes()
    path.unlink()
    with running(warehouse=str(tmp_path), store="file"):
        pass

    assert path.read_bytes() == before
