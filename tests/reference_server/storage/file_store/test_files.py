"""Files of stores are opened, or refused with the reason and left unchanged."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.storage import mark as store_mark
from lakepact.reference_server.storage.content import Damaged, Newer
from lakepact.reference_server.storage.lock import Locked
from lakepact.reference_server.storage.store import Key, Record

from .conftest import Open

KEYS = [Key("identifiers", ("ns", "a b", "é"), f"table {number}") for number in range(50)]


def record(number: int) -> Record:
    return Record("table", {"n": number}, b'{"n":%d}' % number, b'"%d"' % number)


@pytest.fixture
def filled(open_store: Open, path: Path) -> Path:
    """Return a store with some records, closed."""
    store = open_store()
    with store.begin() as transaction:
        for number, key in enumerate(KEYS):
            transaction.put(key, record(number))
    store.close()
    return path


def held(folder: Path) -> dict[str, bytes]:
    return {
        file.name: file.read_bytes() for file in folder.iterdir() if not file.name.endswith("-lock")
    }


def test_a_store_that_is_opened_again_holds_the_same(filled: Path, open_store: Open) -> None:
    store = open_store()

    assert [store.get(key) for key in KEYS] == [record(number) for number in range(50)]


def test_a_store_that_was_not_closed_holds_the_same(
    open_store: Open, path: Path, tmp_path: Path
) -> None:
    store = open_store()
    for number, key in enumerate(KEYS):
        with store.begin() as transaction:
            transaction.put(key, record(number))
    store.wait()
    for file in path.parent.glob(f"{path.name}*"):  # as they stand when the process is killed
        (tmp_path / "copy").mkdir(exist_ok=True)
        shutil.copy(file, tmp_path / "copy" / file.name)
    store.close()
    shutil.rmtree(tmp_path / "copy2", ignore_errors=True)
    for file in (tmp_path / "copy").iterdir():
        shutil.copy(file, path.parent / file.name)
    again = open_store()

    assert [again.get(key) for key in KEYS] == [record(number) for number in range(50)]


def test_a_second_store_on_the_same_file_is_refused(filled: Path, open_store: Open) -> None:
    open_store()

    with pytest.raises(Locked, match="in use by this process itself"):
        open_store()


def test_second_process_on_the_same_file_is_refused_with_the_holder(
    filled: Path, open_store: Open
) -> None:
    open_store()
    warehouse = filled.parent
    command = [
        sys.executable,
        "-m",
        "lakepact.reference_server",
        "--port",
        "0",
        "--store",
        str(filled),
        "--warehouse",
        str(warehouse / "w"),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert (ended.returncode, f"is in use by the process {os.getpid()}" in ended.stderr) == (
        2,
        True,
    )


def test_a_program_that_ignores_the_lock_cannot_read_or_write(
    filled: Path, open_store: Open
) -> None:
    open_store()

    with (
        closing(sqlite3.connect(filled, timeout=0)) as connection,
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        connection.execute("DELETE FROM record")


def test_a_file_that_another_program_reads_is_refused(filled: Path, open_store: Open) -> None:
    with closing(sqlite3.connect(filled, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")

        with pytest.raises(Locked, match="another program"):
            open_store()


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"SQLite format 3\0", b"SQLite format 3\0" + b"\0" * 4080]
)
def test_a_file_that_is_not_ours_is_refused_and_left_as_it_is(
    path: Path, content: bytes, open_store: Open
) -> None:
    path.write_bytes(content)

    with pytest.raises(BadSetting, match="is not a store of lakepact's"):
        open_store()

    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == {path.name: content}


@pytest.mark.parametrize("ending", [".lock", ".new", ".new-wal", "-journal"])
def test_foreign_files_beside_a_store_are_kept(path: Path, ending: str, open_store: Open) -> None:
    others = path.with_name(f"{path.name}{ending}")
    others.write_bytes(b"mine")
    open_store().close()

    assert others.read_bytes() == b"mine"


def test_a_log_without_its_store_is_not_thrown_away(path: Path, open_store: Open) -> None:
    log = path.with_name(f"{path.name}-wal")
    log.write_bytes(b"changes")

    with pytest.raises(BadSetting, match="put the store back, or move these files away"):
        open_store()

    assert (log.read_bytes(), path.exists()) == (b"changes", False)


def test_the_database_of_another_program_is_refused_and_left_as_it_is(
    path: Path, open_store: Open
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE record (a)")
    before = held(path.parent)

    with pytest.raises(BadSetting, match="is not a store of lakepact's"):
        open_store()

    assert held(path.parent) == before


def test_a_store_of_a_newer_format_is_refused_and_left_as_it_is(
    filled: Path, open_store: Open
) -> None:
    with closing(sqlite3.connect(filled)) as connection:
        connection.execute("PRAGMA user_version = 3")
    before = held(filled.parent)

    with pytest.raises(Newer, match="written by a newer lakepact"):
        open_store()

    assert held(filled.parent) == before


def test_a_store_of_another_contract_is_refused(filled: Path, open_store: Open) -> None:
    with pytest.raises(BadSetting, match="is the store of iceberg_rest, not of watsonx_data"):
        open_store(contract="watsonx_data")


def test_a_changed_record_is_found_and_the_file_left_as_it_is(
    filled: Path, open_store: Open
) -> None:
    raw = filled.read_bytes()
    filled.write_bytes(raw.replace(b'{"n":17}', b'{"n":71}'))
    before = held(filled.parent)

    with pytest.raises(Damaged, match=r"the table 'table 17' in .* is not what was stored"):
        open_store()

    assert held(filled.parent) == before


def test_a_value_of_another_type_is_found(filled: Path, open_store: Open) -> None:
    with closing(sqlite3.connect(filled)) as connection, connection:
        connection.execute("UPDATE record SET body = CAST(body AS TEXT) WHERE name = 'table 17'")

    with pytest.raises(Damaged, match=r"the table 'table 17' in .* is not what was stored"):
        open_store()


def test_a_damaged_store_is_refused_and_left_as_it_is_or_holds_the_same(
    filled: Path, open_store: Open
) -> None:
    chance = random.Random(7)
    whole = filled.read_bytes()
    refused = 0
    for _ in range(60):
        raw = bytearray(whole)
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
        filled.write_bytes(raw)
        before = held(filled.parent)
        try:
            store = open_store()
        except BadSetting:
            refused += 1
            assert held(filled.parent) == before
        else:
            assert [store.get(key) for key in KEYS] == [record(number) for number in range(50)]
            store.close()

    assert refused > 10


@pytest.fixture
def killed(open_store: Open, path: Path) -> Path:
    """Return a store with many changes in its log, as it is when the process is killed."""
    store = open_store(durability="full")
    store._file.trust()
    for number, key in enumerate(KEYS):
        with store.begin() as transaction:
            transaction.put(key, record(number))
        store.wait()
    left = held(path.parent)
    store.close()
    for name, content in left.items():
        (path.parent / name).write_bytes(content)
    return path


def test_a_log_that_was_damaged_in_its_midst_is_refused_and_left_as_it_is(
    killed: Path, open_store: Open
) -> None:
    log = killed.with_name(f"{killed.name}-wal")
    whole = log.read_bytes()
    chance = random.Random(3)
    for place in [0, 9, 20, 40, *(chance.randrange(len(whole)) for _ in range(40))]:
        raw = bytearray(whole)
        raw[place] ^= 1 << chance.randrange(8)
        log.write_bytes(raw)
        before = held(killed.parent)

        with pytest.raises(Damaged):
            open_store()

        assert held(killed.parent) == before


def acknowledged(path: Path, changes: int) -> None:
    """Set the number of acknowledged changes in the mark."""
    mark = store_mark.read_mark(path)
    assert mark
    store_mark.make_mark(path, replace(mark, changes=changes))


def test_a_log_whose_last_change_was_being_written_is_read_without_it(
    killed: Path, open_store: Open
) -> None:
    acknowledged(killed, 49)
    log = killed.with_name(f"{killed.name}-wal")
    log.write_bytes(log.read_bytes()[:-5000])
    store = open_store()

    assert [store.get(key) for key in KEYS[:49]] == [record(number) for number in range(49)]


def test_power_failure_may_lose_an_unacknowledged_change(
    killed: Path, open_store: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_mark, "BOOT", killed.with_name("boot"))
    killed.with_name("boot").write_text("another start")
    acknowledged(killed, 49)
    log = killed.with_name(f"{killed.name}-wal")
    raw = bytearray(log.read_bytes())
    raw[-4000] ^= 1  # a page of the last change; the mark that ends the change is there
    log.write_bytes(raw)
    store = open_store()

    assert [store.get(key) for key in KEYS[:49]] == [record(number) for number in range(49)]


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9])
def test_a_store_that_was_cut_off_is_refused_and_left_as_it_is(
    filled: Path, kept: float, open_store: Open
) -> None:
    raw = filled.read_bytes()
    filled.write_bytes(raw[: int(len(raw) * kept)])
    before = held(filled.parent)

    with pytest.raises(Damaged):
        open_store()

    assert held(filled.parent) == before


@pytest.mark.parametrize("which", ["folder", "file"])
def test_unwritable_store_ends_the_command_with_2_and_the_path(tmp_path: Path, which: str) -> None:
    folder = tmp_path / "w"
    (folder / ".lakepact").mkdir(parents=True)
    store = folder / ".lakepact" / "iceberg_rest.sqlite"
    command = [
        sys.executable,
        "-m",
        "lakepact.reference_server",
        "--port",
        "0",
        "--store",
        "file",
        "--warehouse",
        str(folder),
    ]
    if which == "file":
        store.mkdir()
    else:
        shutil.rmtree(folder / ".lakepact")
        (folder / ".lakepact").write_text("in the way")
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert (
        ended.returncode,
        str(folder / ".lakepact") in ended.stderr,
        "Traceback" in ended.stderr,
    ) == (2, True, False)
