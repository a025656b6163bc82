"""Metadata files of tables: written before the answer, purged on request, and registered only from
the warehouse.
"""

from __future__ import annotations

import json
import uuid

import pytest

from lakepact.reference_server import Server
from raw_requests import Sender

from .conftest import create, path_of, register, set_property

PURGE = ("DELETE", "/tables/t?purgeRequested=true")


def test_metadata_files_are_written_to_the_metadata_path(within: Sender) -> None:
    folder = f"{create(within)['metadata']['location']}/else/where"
    committed = set_property(within, **{"write.metadata.path": f"{folder}/"})

    assert committed["metadata-location"].startswith(f"{folder}/00001-")
    assert json.loads(path_of(committed["metadata-location"]).read_bytes()) == committed["metadata"]


@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_a_purge_removes_metadata_files_that_lie_elsewhere(
    files: Server, within: Sender, codec: str
) -> None:
    folder = f"{files.service.catalogs[0].warehouse.root}/elsewhere_{uuid.uuid4().hex}"
    compression = {"write.metadata.compression-codec": codec}
    made = (
        create(within, properties={"write.metadata.path": folder, **compression}),
        set_property(within),
    )
    before = [path_of(one["metadata-location"]).exists() for one in made]
    within(*PURGE)

    assert before == [True, True]
    assert list(path_of(folder).iterdir()) == []


def test_a_purge_leaves_the_metadata_files_of_others(within: Sender) -> None:
    other, metadata = create(within, "other")["metadata-location"], create(within)["metadata"]
    entry = {"timestamp-ms": metadata["last-updated-ms"], "metadata-file": other}
    by_hand = f"{metadata['location']}/metadata/by-hand.metadata.json"
    path_of(by_hand).write_text(json.dumps({**metadata, "metadata-log": [entry]}), "utf-8")
    register(within, by_hand, "t", overwrite=True)
    dropped = within(*PURGE)

    assert (dropped.status, path_of(by_hand).exists(), path_of(other).exists()) == (
        204,
        False,
        True,
    )


@pytest.mark.parametrize("outside", ["s3://bucket/metadata", "file:///etc", "", "words"])
def test_metadata_files_never_leave_the_warehouse(within: Sender, outside: str) -> None:
    properties = {"write.metadata.path": outside}
    created = create(within, properties=properties)

    assert created["metadata-location"].startswith(
        f"{created['metadata']['location']}/metadata/00000-"
    )
    assert created["metadata"]["properties"] == properties


def test_the_folders_of_a_staged_table_are_there(within: Sender) -> None:
    staged = create(within, **{"stage-create": True})

    assert (path_of(staged["metadata"]["location"]) / "metadata").is_dir()


def test_a_purge_leaves_files_that_another_table_has(within: Sender) -> None:
    location = create(within)["metadata-location"]
    register(within, location, "twin")
    within(*PURGE)

    assert path_of(location).exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"not json",
        b'{"format-version": 2}',
        b'{"format-version":2,"table-uuid":"x","a":1,"a":2}',
    ],
)
def test_registering_invalid_metadata_returns_400(within: Sender, content: bytes) -> None:
    location = create(within)["metadata-location"].replace("00000-", "99999-")
    path_of(location).write_bytes(content)

    assert register(within, location).error == (400, "BadRequestException")
    assert within("HEAD", "/tables/u").status == 404


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
def test_nothing_is_registered_from_outside_the_warehouse(within: Sender, location: str) -> None:
    root = create(within)["metadata"]["location"]
    answer = register(within, location.format(root=root))

    assert answer.error == (400, "BadRequestException")
    assert "root:" not in answer.message


def test_metadata_with_a_location_outside_is_not_registered(within: Sender) -> None:
    created = create(within)
    location = created["metadata-location"].replace("00000-", "99999-")
    path_of(location).write_text(json.dumps({**created["metadata"], "location": "file:///etc"}))

    assert register(within, location).error == (400, "BadRequestException")
