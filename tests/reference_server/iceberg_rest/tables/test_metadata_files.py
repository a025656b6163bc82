"""Metadata files of tables: written before the answer, purged on request, and registered only from
the warehouse.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server import Server, running
from raw_requests import Sender
from sample_tables.schemas import SCHEMA


@pytest.fixture(scope="module")
def files() -> Iterator[Server]:
    """Yield a server whose tables are files."""
    with running() as server:
        yield server


@pytest.fixture
def write(files: Server) -> Iterator[Callable[..., Any]]:
    """Yield a function that sends requests to that server, with `ns` replaced by a new
    namespace.
    """
    with Sender(files.url) as send:
        name = f"ns_{uuid.uuid4().hex}"
        created = send("POST", "/v1/namespaces", {"namespace": [name]})
        assert created.status == 200
        yield lambda method, path, *rest, **headers: send(
            method, path.replace("/ns", f"/{name}", 1), *rest, **headers
        )


def path_of(location: str) -> Path:
    return Path(location.removeprefix("file://"))


def test_metadata_files_are_written_to_the_metadata_path(write: Callable[..., Any]) -> None:
    location = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document[
        "metadata"
    ]["location"]
    update = {
        "requirements": [],
        "updates": [
            {
                "action": "set-properties",
                "updates": {"write.metadata.path": f"{location}/else/where/"},
            }
        ],
    }
    committed = write("POST", "/v1/namespaces/ns/tables/t", update).document

    assert committed["metadata-location"].startswith(f"{location}/else/where/00001-")
    assert json.loads(path_of(committed["metadata-location"]).read_bytes()) == committed["metadata"]


def test_a_purge_removes_metadata_files_that_lie_elsewhere(
    files: Server, write: Callable[..., Any]
) -> None:
    folder = f"{files.service.catalogs[0].warehouse.root}/elsewhere_{uuid.uuid4().hex}"
    request = {"name": "t", "schema": SCHEMA, "properties": {"write.metadata.path": folder}}
    update = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "b"}}]}
    made = (
        write("POST", "/v1/namespaces/ns/tables", request).document,
        write("POST", "/v1/namespaces/ns/tables/t", update).document,
    )
    before = [path_of(one["metadata-location"]).exists() for one in made]
    write("DELETE", "/v1/namespaces/ns/tables/t?purgeRequested=true")

    assert before == [True, True]
    assert list(path_of(folder).iterdir()) == []


def test_a_purge_leaves_the_metadata_files_of_others(write: Callable[..., Any]) -> None:
    other = write("POST", "/v1/namespaces/ns/tables", {"name": "other", "schema": SCHEMA}).document[
        "metadata-location"
    ]
    table = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
    written = {
        **table["metadata"],
        "metadata-log": [
            {"timestamp-ms": table["metadata"]["last-updated-ms"], "metadata-file": other}
        ],
    }
    by_hand = f"{table['metadata']['location']}/metadata/by-hand.metadata.json"
    path_of(by_hand).write_text(json.dumps(written), "utf-8")
    write(
        "POST",
        "/v1/namespaces/ns/register",
        {"name": "t", "metadata-location": by_hand, "overwrite": True},
    )
    dropped = write("DELETE", "/v1/namespaces/ns/tables/t?purgeRequested=true")

    assert (dropped.status, path_of(by_hand).exists(), path_of(other).exists()) == (
        204,
        False,
        True,
    )


@pytest.mark.parametrize("outside", ["s3://bucket/metadata", "file:///etc", "", "words"])
def test_metadata_files_never_leave_the_warehouse(write: Callable[..., Any], outside: str) -> None:
    request = {"name": "t", "schema": SCHEMA, "properties": {"write.metadata.path": outside}}
    created = write("POST", "/v1/namespaces/ns/tables", request).document

    assert created["metadata-location"].startswith(
        f"{created['metadata']['location']}/metadata/00000-"
    )
    assert created["metadata"]["properties"] == {"write.metadata.path": outside}


def test_the_folders_of_a_staged_table_are_there(write: Callable[..., Any]) -> None:
    staged = write(
        "POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA, "stage-create": True}
    ).document

    assert (path_of(staged["metadata"]["location"]) / "metadata").is_dir()


def test_a_purge_leaves_files_that_another_table_has(write: Callable[..., Any]) -> None:
    created = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
    write(
        "POST",
        "/v1/namespaces/ns/register",
        {"name": "twin", "metadata-location": created["metadata-location"]},
    )
    write("DELETE", "/v1/namespaces/ns/tables/t?purgeRequested=true")

    assert path_of(created["metadata-location"]).exists()


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"{}",
        b"not json",
        b'{"format-version": 2}',
        b'{"format-version":2,"table-uuid":"x","a":1,"a":2}',
    ],
)
def test_registering_invalid_metadata_returns_400(
    write: Callable[..., Any], content: bytes | None
) -> None:
    created = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
    location = created["metadata-location"].replace("00000-", "99999-")
    if content is not None:
        path_of(location).write_bytes(content)

    assert write(
        "POST", "/v1/namespaces/ns/register", {"name": "new", "metadata-location": location}
    ).error == (400, "BadRequestException")
    assert write("HEAD", "/v1/namespaces/ns/tables/new").status == 404


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "s3://bucket/m.json",
        "{root}/../../../etc/passwd",
        "http://127.0.0.1/",
        "x",
    ],
)
def test_nothing_is_registered_from_outside_the_warehouse(
    write: Callable[..., Any], location: str
) -> None:
    created = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
    body = {
        "name": "new",
        "metadata-location": location.format(root=created["metadata"]["location"]),
    }
    answer = write("POST", "/v1/namespaces/ns/register", body)

    assert answer.error == (400, "BadRequestException")
    assert "root:" not in answer.message


def test_metadata_with_a_location_outside_is_not_registered(write: Callable[..., Any]) -> None:
    created = write("POST", "/v1/namespaces/ns/tables", {"name": "t", "schema": SCHEMA}).document
    location = created["metadata-location"].replace("00000-", "99999-")
    path_of(location).write_text(json.dumps({**created["metadata"], "location": "file:///etc"}))

    assert write(
        "POST", "/v1/namespaces/ns/register", {"name": "new", "metadata-location": location}
    ).error == (400, "BadRequestException")
