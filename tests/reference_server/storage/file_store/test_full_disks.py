"""Full disks and clocks that go back: clear errors, and no lost or half-made changes."""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from crashes import SCHEMA, server
from lakepact.client import NO_RETRIES, IcebergCatalog, TableChange
from lakepact.client.errors import OutcomeUnknown, ServerError
from lakepact.reference_server import running
from lakepact.reference_server.iceberg_rest.store_check import check_store
from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.storage.sqlite import StoreFile
from lakepact.reference_server.store_cli import store

from .conftest import catalog_of

FORBIDDEN_GROWTH = 1  #: bytes that a file may have when nothing more is to be written


def updates(value: str) -> list[dict[str, Any]]:
    return [{"action": "set-properties", "updates": {"value": value}}]


def findings(warehouse: Path) -> list[Any]:
    return check_store(warehouse / ".lakepact" / "iceberg_rest.sqlite").findings


def room_of(process: subprocess.Popen[str]) -> Callable[[int], None]:
    """Return a function that limits the size of files of a process."""
    _, most = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    return lambda size: resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, most)) and None


def test_unwritable_changes_return_an_error_and_change_nothing(tmp_path: Path) -> None:
    with server(tmp_path) as (url, process), IcebergCatalog(url, retries=NO_RETRIES) as catalog:
        room = room_of(process)
        catalog.create_namespace("a")
        made = catalog.create_table("a.t", SCHEMA, properties={"value": "first"})
        files = set(tmp_path.rglob("*.metadata.json"))
        room(FORBIDDEN_GROWTH)
        statuses: list[int | None] = []
        for refused in (
            lambda: catalog.commit_table("a.t", updates("second")),
            lambda: catalog.commit_transaction([TableChange("a", "t", updates("second"))]),
            lambda: catalog.create_table("a.u", SCHEMA),
            lambda: catalog.drop_table("a.t", purge=True),
            lambda: catalog.rename_table(("a", "t"), ("a", "u")),
            lambda: catalog.create_namespace("b"),
            lambda: catalog.update_namespace_properties("a", updates={"x": "y"}),
        ):
            with pytest.raises(
                (OutcomeUnknown, ServerError), match="the change was not made"
            ) as told:
                refused()
            statuses.append(told.value.status)
        seen = (
            catalog.load_table("a.t").metadata.properties["value"],
            [table.name for table in catalog.list_tables("a")],
        )
        left = set(tmp_path.rglob("*.metadata.json"))
        room(resource.RLIM_INFINITY)
        catalog.commit_table("a.t", updates("third"))
        now = catalog.load_table("a.t").metadata.properties["value"]

    assert (set(statuses) <= {503, 507}, seen, left ^ files, now) == (
        True,
        ("first", ["t"]),
        set(),
        "third",
    )
    assert Path(made.metadata_location.removeprefix("file://")) in files
    assert findings(tmp_path) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a small file system, if this user may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"no file system can be mounted: {made.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_answered_with_507_until_there_is_room_again(small_disk: Path) -> None:
    with server(small_disk) as (url, _), IcebergCatalog(url, retries=NO_RETRIES) as catalog:
        catalog.create_namespace("a")
        catalog.create_table("a.t", SCHEMA, properties={"value": ""})
        kept, statuses = "", set[int | None]()
        for number in range(200):
            value = f"{number} {'x' * 5000}"
            try:
                catalog.commit_table("a.t", updates(value))
            except OutcomeUnknown as told:
                statuses.add(told.status)
                if len(statuses) > 2 or number > 150:
                    break
            else:
                kept = value
        seen = catalog.load_table("a.t").metadata.properties["value"]
        for old in sorted(small_disk.rglob("0000*.metadata.json")):
            old.unlink()
        catalog.commit_table("a.t", updates("again"))

    assert (seen == kept, statuses) == (True, {507})
    assert findings(small_disk) == []


def fill(disk: Path) -> Path:
    """Fill a disk, and return the filling file."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 512)
    return filler


def store_files(disk: Path) -> dict[str, bytes]:
    return {
        file.name: file.read_bytes()
        for file in (disk / ".lakepact").iterdir()
        if not file.name.endswith("-lock")
    }


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_a_killed_store_on_a_full_disk_is_refused_as_such_and_left_as_it_is(
    small_disk: Path, durability: str
) -> None:
    with server(small_disk, "--durability", durability) as (url, _), IcebergCatalog(url) as catalog:
        catalog.create_namespace("a")
    filler = fill(small_disk)
    before = store_files(small_disk)
    with (
        pytest.raises(BadSetting, match="the disk is full"),
        running(warehouse=str(small_disk), store="file"),
    ):
        pass
    checked = CliRunner().invoke(store, ["check", str(small_disk)])

    assert (checked.exit_code, "the disk is full" in checked.output) == (3, True)
    assert store_files(small_disk) == before
    filler.unlink()
    with catalog_of(small_disk) as catalog:
        assert catalog.namespace_exists("a")


def test_a_closed_store_on_a_full_disk_is_served_and_changes_get_507(small_disk: Path) -> None:
    with catalog_of(small_disk) as catalog:
        catalog.create_namespace("a")
    filler = fill(small_disk)
    with catalog_of(small_disk, retries=NO_RETRIES) as catalog:
        assert catalog.namespace_exists("a")
        with pytest.raises((OutcomeUnknown, ServerError), match="the disk is full") as told:
            catalog.create_namespace("b")
        filler.unlink()
        catalog.create_namespace("c")

    assert told.value.status == 507
    assert findings(small_disk) == []


def test_a_store_that_cannot_be_made_on_a_full_disk_leaves_nothing(small_disk: Path) -> None:
    (small_disk / ".lakepact").mkdir()
    filler = fill(small_disk)
    with (
        pytest.raises(BadSetting, match="the disk is full"),
        running(warehouse=str(small_disk), store="file"),
    ):
        pass
    assert store_files(small_disk) == {}
    filler.unlink()
    with running(warehouse=str(small_disk), store="file"):
        pass


@contextmanager
def as_another_user() -> Iterator[None]:
    """Run as another user than root, which may write everywhere."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no users here")
def test_a_folder_that_must_not_be_written_is_refused_with_the_reason(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o555)
        with as_another_user(), pytest.raises(BadSetting, match="Permission denied"):
            StoreFile(Path(folder) / "store.sqlite", contract="iceberg_rest")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no users here")
@pytest.mark.parametrize("which", ["folder", "store.sqlite", "store.sqlite-mark"])
@pytest.mark.parametrize("mode", [0o000, 0o444])
def test_store_without_permission_is_refused_and_left_unchanged(which: str, mode: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite"
        StoreFile(path, contract="iceberg_rest").close()
        for file in Path(folder).iterdir():
            file.chmod(0o666)
        before = {file.name: file.read_bytes() for file in Path(folder).iterdir()}
        Path(folder).chmod(0o555 if which == "folder" else 0o777)
        if which != "folder":
            (Path(folder) / which).chmod(mode)
        with (
            as_another_user(),
            pytest.raises(BadSetting, match=r"Permission denied|cannot be written"),
        ):
            StoreFile(path, contract="iceberg_rest")
        after = {
            file.name: file.read_bytes()
            for file in Path(folder).iterdir()
            if not file.name.endswith("-lock")
        }

        assert {name: before[name] for name in after} == after


def test_times_never_go_back_although_the_clock_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time_ns
    location, times = "", list[int]()
    for hours in range(3):
        monkeypatch.setattr(time, "time_ns", lambda hours=hours: now() - hours * 3_600_000_000_000)
        with catalog_of(tmp_path) as catalog:
            if not hours:
                catalog.create_namespace("a")
                catalog.create_table("a.t", SCHEMA)
            for value in range(3):
                committed = catalog.commit_table("a.t", updates(f"{hours}.{value}"))
                times.append(committed.metadata.last_updated_ms or 0)
                location = committed.metadata_location or ""
            logged = [entry.timestamp_ms for entry in committed.metadata.metadata_log]

    assert (times, logged) == (sorted(times), sorted(logged))
    assert location.rpartition("/")[2].startswith("00009-")
    assert findings(tmp_path) == []
