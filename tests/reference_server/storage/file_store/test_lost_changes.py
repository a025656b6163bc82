"""A store that lost acknowledged changes is refused and left unchanged."""

from __future__ import annotations

import json
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from crashes import SCHEMA, server
from lakepact.client import IcebergCatalog
from lakepact.reference_server import running
from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.storage import mark as store_mark
from lakepact.reference_server.storage.sqlite import StoreFile
from lakepact.reference_server.storage.store import Key, Record
from lakepact.reference_server.store_cli import store

from .conftest import catalog_of

Files = dict[str, bytes]
DATABASE, LOG, MARK = NAMES = (
    "iceberg_rest.sqlite",
    "iceberg_rest.sqlite-wal",
    "iceberg_rest.sqlite-mark",
)
TABLES = ("one", "two", "three")
DAMAGED = "(?s)is damaged: .*nothing in it was touched"
MISSING = "acknowledged changes are missing, from number"


@dataclass(frozen=True)
class Killed:
    """A warehouse whose server was killed."""

    warehouse: Path
    left: Files  #: what the server left of its store
    earlier: tuple[Files, ...]  #: what there was of it at earlier moments
    values: dict[str, str]  #: what was acknowledged last, by table

    @property
    def folder(self) -> Path:
        """Return the folder of the store."""
        return self.warehouse / ".lakepact"

    def lay_out(self, files: Files) -> None:
        """Replace the files of the store by these."""
        for file in self.folder.iterdir():
            file.unlink()
        for name, content in files.items():
            (self.folder / name).write_bytes(content)

    def start(self) -> str | None:
        """Start a server, and return its refusal, or None if it serves all acknowledged changes."""
        before = files_in(self.folder)
        try:
            with catalog_of(self.warehouse) as catalog:
                assert values_in(catalog) == self.values
        except BadSetting as refused:
            assert files_in(self.folder) == before
            return str(refused)
        return None


def files_in(folder: Path) -> Files:
    return {
        file.name: file.read_bytes() for file in folder.iterdir() if not file.name.endswith("-lock")
    }


def values_in(catalog: IcebergCatalog) -> dict[str, str]:
    return {name: catalog.load_table(("a", name)).metadata.properties["value"] for name in TABLES}


def commit(catalog: IcebergCatalog, name: str, value: str) -> None:
    catalog.commit_table(("a", name), [{"action": "set-properties", "updates": {"value": value}}])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """Return a warehouse whose server was killed in its third run, after two clean runs."""
    warehouse = tmp_path_factory.mktemp("warehouse")
    folder, values, earlier = warehouse / ".lakepact", dict[str, str](), list[Files]()
    for life in range(3):
        with server(warehouse) as (url, process), IcebergCatalog(url) as catalog:
            if not life:
                catalog.create_namespace("a")
                for name in TABLES:
                    catalog.create_table(("a", name), SCHEMA)
            for step in range(8):
                for name in TABLES if step % 2 else TABLES[:1]:
                    values[name] = f"{life}.{step}"
                    commit(catalog, name, values[name])
                if step == 3:
                    earlier.append(files_in(folder))
            if life < 2:
                process.terminate()
                process.wait(30)
                earlier.append(files_in(folder))
    return Killed(warehouse, files_in(folder), tuple(earlier), values)


@pytest.fixture
def killed(made: Killed) -> Killed:
    made.lay_out(made.left)
    return made


def borders(log: bytes) -> list[int]:
    """Return the end of the head and of each frame of a log."""
    (page,) = struct.unpack_from(">I", log, 8)
    return list(range(32, len(log) + 1, 24 + page))


def without(*names: str) -> Callable[[Killed], Files]:
    return lambda killed: {
        name: content for name, content in killed.left.items() if name not in names
    }


def cut(name: str, size: int) -> Callable[[Killed], Files]:
    return lambda killed: {**killed.left, name: killed.left[name][:size]}


def from_earlier(name: str, moment: int, *others: str) -> Callable[[Killed], Files]:
    """Return a function that replaces a file by an earlier state and removes others."""
    return lambda killed: {**without(*others)(killed), name: killed.earlier[moment][name]}


def test_a_killed_server_leaves_a_store_that_is_served(killed: Killed) -> None:
    assert set(killed.left) == set(NAMES)
    assert killed.start() is None


@pytest.mark.parametrize(
    ("attack", "why"),
    [
        pytest.param(without(LOG), MISSING, id="log deleted"),
        pytest.param(cut(LOG, 0), MISSING, id="log emptied"),
        pytest.param(cut(LOG, 20), MISSING, id="log cut in its head"),
        pytest.param(from_earlier(LOG, 4), MISSING, id="log as it was four commits in"),
        pytest.param(from_earlier(LOG, 2), DAMAGED, id="log of the life before"),
        pytest.param(from_earlier(DATABASE, 0), DAMAGED, id="database of the first life"),
        pytest.param(
            from_earlier(DATABASE, 1, LOG),
            MISSING,
            id="database as it was before the second life and no log",
        ),
        pytest.param(
            lambda killed: {**killed.earlier[3], MARK: killed.left[MARK]},
            MISSING,
            id="all but the mark from earlier",
        ),
        pytest.param(without(MARK), "its mark .* is missing", id="mark deleted"),
        pytest.param(without(MARK, LOG), "its mark .* is missing", id="mark and log deleted"),
        pytest.param(cut(MARK, 0), "its mark .* is damaged", id="mark emptied"),
        pytest.param(cut(MARK, 511), "its mark .* is damaged", id="mark cut"),
        pytest.param(
            without(DATABASE),
            "is not there, but its log .* and its mark .* counts 52 changes",
            id="database deleted",
        ),
        pytest.param(
            without(DATABASE, LOG),
            "is not there, but its mark .* counts 52 changes",
            id="database and log deleted",
        ),
        pytest.param(
            without(DATABASE, MARK), "is not there, but its log", id="database and mark deleted"
        ),
        pytest.param(cut(DATABASE, 0), "is not a store of lakepact's", id="database emptied"),
        pytest.param(cut(DATABASE, 4096), DAMAGED, id="database cut after its first page"),
    ],
)
def test_a_store_that_lost_acknowledged_changes_is_refused(
    killed: Killed, attack: Callable[[Killed], Files], why: str
) -> None:
    killed.lay_out(attack(killed))

    assert re.search(why, killed.start() or "it was served")


def test_an_earlier_database_is_served_only_if_the_log_has_all_that_differs(killed: Killed) -> None:
    killed.lay_out(from_earlier(DATABASE, 1)(killed))
    log, (earlier, left) = (
        killed.left[LOG],
        [files[DATABASE] for files in (killed.earlier[1], killed.left)],
    )
    (size,) = struct.unpack_from(">I", log, 8)
    logged = {struct.unpack_from(">I", log, start)[0] for start in borders(log)[:-1]}
    differing = {
        at // size + 1
        for at in range(0, len(left), size)
        if earlier[at : at + size] != left[at : at + size]
    }

    assert re.search(
        "it was served" if differing <= logged else DAMAGED, killed.start() or "it was served"
    )


def test_a_log_that_is_cut_anywhere_is_refused(killed: Killed) -> None:
    log = killed.left[LOG]
    ends = borders(log)
    sizes = [
        *ends[:-1:5],
        *(end + 12 for end in ends[:-1:9]),
        *(end - 1 for end in ends[1::7]),
        len(log) - 1,
    ]
    for size in sizes:
        killed.lay_out(cut(LOG, size)(killed))

        assert MISSING in (killed.start() or "")


def test_an_index_of_the_log_that_is_missing_or_garbage_loses_nothing(killed: Killed) -> None:
    for index in (b"", b"\xff" * 32768):
        killed.lay_out({**killed.left, f"{DATABASE}-shm": index})

        assert killed.start() is None


def test_a_store_whose_files_are_all_gone_is_a_new_one(killed: Killed) -> None:
    killed.lay_out({})
    with catalog_of(killed.warehouse) as catalog:
        assert list(catalog.list_namespaces()) == []


def test_a_mark_of_another_store_is_refused(killed: Killed, tmp_path: Path) -> None:
    with running(warehouse=str(tmp_path), store="file"):
        pass
    killed.lay_out({**killed.left, MARK: (tmp_path / ".lakepact" / MARK).read_bytes()})

    assert "belongs to another store" in (killed.start() or "")


def test_a_record_that_another_program_removed_is_noticed(killed: Killed) -> None:
    assert killed.start() is None
    with closing(sqlite3.connect(killed.folder / DATABASE)) as connection, connection:
        connection.execute("DELETE FROM record WHERE name = 'one'")

    assert "its records are not those that change" in (killed.start() or "")


def test_a_store_whose_creation_was_cut_short_is_made(tmp_path: Path) -> None:
    (tmp_path / ".lakepact").mkdir()
    store_mark.make_mark(tmp_path / ".lakepact" / DATABASE, store_mark.Mark("0123456789abcdef", 0))
    with catalog_of(tmp_path) as catalog:
        assert list(catalog.list_namespaces()) == []


def test_changes_whose_count_cannot_be_written_need_no_log(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    file = StoreFile(path, contract="iceberg_rest")
    key = Key("namespaces", (), "a")
    file._mark.close()
    with path.open("rb"):  # takes the descriptor, and only reads
        file.write({key: Record("namespace", {}, b"{}")})
        left = {
            name: (tmp_path / name).read_bytes() for name in ("store.sqlite", "store.sqlite-mark")
        }
    (tmp_path / "copy").mkdir()
    for name, content in left.items():
        (tmp_path / "copy" / name).write_bytes(content)
    again = StoreFile(tmp_path / "copy" / "store.sqlite", contract="iceberg_rest")

    with closing(file._connection), closing(again):
        assert [found for found, *_ in again.records] == [key]


def noted(killed: Killed, **fields: object) -> None:
    """Change fields of the mark."""
    path = killed.folder / DATABASE
    mark = store_mark.read_mark(path)
    assert mark
    store_mark.make_mark(path, replace(mark, **fields))  # type: ignore[arg-type]


@pytest.mark.parametrize("changes", [0, 20, 50])
def test_mark_older_than_the_store_is_tolerated(killed: Killed, changes: int) -> None:
    """A power failure may lose the last write to the mark."""
    noted(killed, changes=changes)

    assert killed.start() is None


def test_normal_durability_after_a_reboot_may_lose_changes(
    killed: Killed, caplog: pytest.LogCaptureFixture
) -> None:
    killed.lay_out(without(LOG)(killed))
    noted(killed, durability="normal", boot="another")
    with running(warehouse=str(killed.warehouse), store="file"):
        assert (
            f"16 of 52 {MISSING} 37 on; --durability normal does not keep them when power fails"
            in caplog.text
        )


def test_normal_durability_loses_nothing_when_only_the_process_ended(killed: Killed) -> None:
    killed.lay_out(without(LOG)(killed))
    noted(killed, durability="normal")

    assert MISSING in (killed.start() or "")


def command(*arguments: str | Path) -> tuple[int, str]:
    ended = CliRunner().invoke(store, list(map(str, arguments)))
    return ended.exit_code, ended.output


def test_a_server_on_a_store_without_its_log_ends_with_2_and_says_what_to_do(
    killed: Killed,
) -> None:
    killed.lay_out(without(LOG)(killed))
    line = [
        sys.executable,
        "-m",
        "lakepact.reference_server",
        "--port",
        "0",
        "--store",
        "file",
        "--warehouse",
        str(killed.warehouse),
    ]
    ended = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    said = " ".join(ended.stderr.split())

    assert ended.returncode == 2
    assert (
        f"16 of 52 {MISSING} 37 on; put {LOG} back as the server left it: it is not there" in said
    )
    assert "lakepact store accept-loss" in said


@pytest.mark.parametrize("gone", [(LOG,), (MARK,), (DATABASE,), (DATABASE, LOG)])
def test_store_check_reports_lost_changes(killed: Killed, gone: tuple[str, ...]) -> None:
    killed.lay_out(without(*gone)(killed))
    code, said = command("check", killed.warehouse, "--json")
    kinds = [finding["kind"] for one in json.loads(said)["stores"] for finding in one["findings"]]

    assert (code, "lost-changes" in kinds) == (1, True)


def test_a_loss_that_is_accepted_lets_the_server_start_with_what_is_there(killed: Killed) -> None:
    killed.lay_out(without(LOG)(killed))
    code, said = command("accept-loss", killed.warehouse)
    with catalog_of(killed.warehouse) as catalog:
        values = values_in(catalog)
        commit(catalog, "one", "after")

    assert (code, MISSING in said, values) == (0, True, dict.fromkeys(TABLES, "1.7"))
    assert command("accept-loss", killed.warehouse)[1].strip().endswith("nothing is missing")


def test_a_missing_database_cannot_be_accepted(killed: Killed) -> None:
    killed.lay_out(without(DATABASE)(killed))
    code, said = command("accept-loss", killed.warehouse)

    assert (code, "move these files away to begin with an empty one" in said) == (1, True)


def test_a_store_of_the_format_without_marks_is_taken_over(killed: Killed) -> None:
    assert killed.start() is None
    with closing(sqlite3.connect(killed.folder / DATABASE)) as connection, connection:
        connection.execute("ALTER TABLE record DROP COLUMN total")
        connection.execute("DELETE FROM about WHERE name != 'contract'")
        connection.execute("PRAGMA user_version = 1")
    (killed.folder / MARK).unlink()

    assert [killed.start(), killed.start(), command("check", killed.folder / DATABASE)[0]] == [
        None,
        None,
        0,
    ]
    (killed.folder / MARK).unlink()
    assert "its mark" in (killed.start() or "")


def flipped(raw: bytes, chance: random.Random) -> bytes:
    changed = bytearray(raw)
    for _ in range(chance.choice([1, 3])):
        changed[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def blanked(raw: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(raw))
    return raw[:start] + bytes(len(raw[start : start + 512])) + raw[start + 512 :]


def cut_at_a_border(raw: bytes, chance: random.Random) -> bytes:
    return raw[
        : chance.choice(
            borders(raw)
            if raw[:3] == b"\x37\x7f\x06" and len(raw) > 32
            else range(0, len(raw), 512)
        )
    ]


ACCIDENTS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flipped,
    flipped,
    blanked,
    cut_at_a_border,
    lambda raw, chance: raw[: chance.randrange(len(raw))],
    lambda raw, chance: raw + chance.randbytes(chance.randrange(1, 9000)),
)


def damaged(killed: Killed, chance: random.Random) -> Files:
    """Return the files of a store after one or two accidents, with at least one file left."""
    files = dict(killed.left)
    for _ in range(chance.choice([1, 1, 2])):
        name = chance.choice([DATABASE, LOG, LOG, MARK])
        kind = chance.randrange(len(ACCIDENTS) + 2)
        if kind == 0 and len(files) > 1:
            files.pop(name, None)
        elif kind == 1 and name != MARK:
            files[name] = chance.choice(
                [moment[name] for moment in killed.earlier if name in moment]
            )
        elif files.get(name):
            files[name] = chance.choice(ACCIDENTS)(files[name], chance)
    return files


def refusals(killed: Killed, seeds: Iterable[int]) -> int:
    """Return how many of these damages are refused; assert that the others are served completely
    and keep later changes.
    """
    refused = 0
    for seed in seeds:
        killed.lay_out(damaged(killed, random.Random(seed)))
        try:
            if killed.start() is not None:
                refused += 1
                continue
            with catalog_of(killed.warehouse) as catalog:
                commit(catalog, "one", killed.values["one"])
            assert killed.start() is None
        except BaseException as error:
            error.add_note(f"the seed is {seed}")
            raise
    return refused


def test_random_damage_is_refused_or_loses_nothing(killed: Killed) -> None:
    assert 20 < refusals(killed, range(40)) < 40


@pytest.mark.nightly
def test_much_random_damage_is_refused_or_loses_nothing(killed: Killed) -> None:
    assert 100 < refusals(killed, range(1000, 1200)) < 200


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """Return a symbolic link to a store that holds a namespace."""
    real = tmp_path / "real" / "store.sqlite"
    with catalog_of("memory:", store=real) as catalog:
        catalog.create_namespace("a")
    (tmp_path / "link.sqlite").symlink_to(real)
    return tmp_path / "link.sqlite"


def test_a_store_behind_a_symbolic_link_is_the_one_that_it_leads_to(link: Path) -> None:
    with catalog_of("memory:", store=link) as catalog:
        catalog.create_namespace("b")
        with (
            pytest.raises(BadSetting, match="is in use by"),
            running(warehouse="memory:", store=link.resolve()),
        ):
            pass
    with catalog_of("memory:", store=link.resolve()) as catalog:
        assert sorted(catalog.list_namespaces()) == [("a",), ("b",)]
    assert {file.name for file in link.parent.iterdir()} == {"real", "link.sqlite"}


def test_a_symbolic_link_that_leads_nowhere_makes_no_new_store(link: Path) -> None:
    shutil.move(link.parent / "real", link.parent / "elsewhere")
    with (
        pytest.raises(BadSetting, match=r"is a symbolic link to .*, which is not there"),
        running(warehouse="memory:", store=link),
    ):
        pass

    assert not (link.parent / "real").exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_in_the_place_of_a_file_is_refused(killed: Killed, name: str) -> None:
    killed.lay_out(without(name)(killed))
    (killed.folder / name).mkdir()
    try:
        with pytest.raises(BadSetting), running(warehouse=str(killed.warehouse), store="file"):
            pass
        assert {
            name: (killed.folder / name).read_bytes() for name in without(name)(killed)
        } == without(name)(killed)
    finally:
        with suppress(OSError):
            (killed.folder / name).rmdir()
