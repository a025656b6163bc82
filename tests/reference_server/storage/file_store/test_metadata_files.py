"""Every metadata-location names a readable file, also after files were lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from crashes import SCHEMA
from lakepact.reference_server import running
from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.storage import mark
from raw_requests import Sender

from .conftest import catalog_of


@pytest.fixture
def table(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return the metadata file of a table, whose server has not ended cleanly."""
    codec = getattr(request, "param", "none")
    with catalog_of(tmp_path) as catalog:
        catalog.create_namespace("a")
        made = catalog.create_table(
            "a.t", SCHEMA, properties={"write.metadata.compression-codec": codec}
        )
        shutil.copytree(tmp_path / ".lakepact", tmp_path / "as it is")
    shutil.rmtree(tmp_path / ".lakepact")
    (tmp_path / "as it is").rename(tmp_path / ".lakepact")
    return Path(made.metadata_location.removeprefix("file://"))


def closed(warehouse: Path) -> None:
    with running(warehouse=str(warehouse), store="file"):
        pass


@pytest.mark.parametrize("table", ["none", "gzip"], indirect=True)
def test_a_file_that_is_lost_is_written_again(table: Path, tmp_path: Path) -> None:
    before = table.read_bytes()
    table.unlink()
    closed(tmp_path)

    assert table.read_bytes() == before


@pytest.mark.parametrize("left", [b"", b"\0" * 2000, b'{"format-version":2,'])
def test_a_file_that_is_torn_is_written_again(table: Path, tmp_path: Path, left: bytes) -> None:
    before = table.read_bytes()
    table.write_bytes(left)
    closed(tmp_path)

    assert table.read_bytes() == before


def test_metadata_file_of_another_writer_is_kept(table: Path, tmp_path: Path) -> None:
    table.write_bytes(b'{"mine":true}')
    closed(tmp_path)

    assert json.loads(table.read_bytes()) == {"mine": True}


def test_a_folder_that_is_lost_is_made_again(table: Path, tmp_path: Path) -> None:
    before = table.read_bytes()
    table.unlink()
    table.parent.rmdir()
    closed(tmp_path)

    assert table.read_bytes() == before


def loses(table: Path, warehouse: Path) -> bool:
    """Return whether a removed file is still missing after the next start."""
    table.unlink()
    closed(warehouse)
    return not table.exists()


def test_files_are_not_checked_after_a_clean_end(table: Path, tmp_path: Path) -> None:
    closed(tmp_path)

    assert loses(table, tmp_path)


def test_files_are_checked_once_after_a_clean_end_and_a_reboot(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed(tmp_path)
    (tmp_path / "boot").write_text("another start")
    monkeypatch.setattr(mark, "BOOT", tmp_path / "boot")

    assert [loses(table, tmp_path), loses(table, tmp_path)] == [False, True]


def test_files_are_checked_at_every_start_without_a_boot_id(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed(tmp_path)
    monkeypatch.setattr(mark, "BOOT", tmp_path / "nowhere")

    assert [loses(table, tmp_path), loses(table, tmp_path)] == [False, False]


def test_a_store_is_not_opened_with_another_warehouse(table: Path, tmp_path: Path) -> None:
    store = tmp_path / ".lakepact" / "iceberg_rest.sqlite"

    with (
        pytest.raises(BadSetting, match="in no warehouse of this server"),
        running(warehouse=str(tmp_path / "other"), store=store),
    ):
        pass


@pytest.mark.parametrize("spelled", ["{}/t.sqlite", "{}/a/b/t.sqlite"])
def test_a_store_does_not_lie_where_tables_may(tmp_path: Path, spelled: str) -> None:
    with (
        pytest.raises(BadSetting, match="would lie where tables may lie"),
        running(warehouse=str(tmp_path), store=spelled.format(tmp_path)),
    ):
        pass


@pytest.mark.parametrize(
    "spelled",
    ["{}/.lakepact", "{}/.lakepact/x", "{}/a/../.lakepact", "{}/%2elakepact/x", "{}/a/.lakepact/x"],
)
def test_no_table_lies_where_the_store_does(tmp_path: Path, spelled: str) -> None:
    with (
        running(warehouse=str(tmp_path), store="file") as answering,
        Sender(answering.url) as send,
    ):
        send("POST", "/v1/namespaces", {"namespace": ["a"]})
        body = {"name": "t", "schema": SCHEMA, "location": spelled.format(f"file://{tmp_path}")}
        answer = send("POST", "/v1/namespaces/a/tables", body)

    assert answer.error == (400, "BadRequestException")


def test_a_purge_is_done_once_the_table_is_gone_for_good(tmp_path: Path) -> None:
    with catalog_of(tmp_path) as catalog:
        catalog.create_namespace("a")
        made = catalog.create_table("a.t", SCHEMA)
        catalog.drop_table("a.t", purge=True)

        assert not Path(made.metadata.location.removeprefix("file://")).exists()


def test_a_store_that_is_to_stay_needs_a_warehouse_that_stays() -> None:
    with pytest.raises(BadSetting, match="name a --warehouse that stays"), running(store="file"):
        pass


def test_a_store_beside_a_warehouse_in_memory_has_its_metadata_again(tmp_path: Path) -> None:
    for _ in range(2):
        with catalog_of("memory:", store=tmp_path / "s.sqlite") as catalog:
            if not catalog.namespace_exists("a"):
                catalog.create_namespace("a")
                made = catalog.create_table("a.t", SCHEMA)
            again = catalog.register_table("a.again", made.metadata_location)
            catalog.drop_table("a.again")

    assert again.metadata.table_uuid == made.metadata.table_uuid
