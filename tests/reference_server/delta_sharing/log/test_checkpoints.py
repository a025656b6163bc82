"""Checkpoints of every kind equal their commits, and an unreadable checkpoint is replaced by an
older one or by commits.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakepact.reference_server.delta_sharing.log import DamagedLog, Log, LogError, NoSuchVersion
from sample_tables.delta_logs import HEAD, TYPES, VECTOR, Table, add, paths, remove

INLINE = {
    "storageType": "i",
    "pathOrInlineDv": "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L",
    "sizeInBytes": 44,
    "cardinality": 6,
}
FILES = [
    add("a", stats='{"numRecords":1}'),
    add("b%20c", partitionValues={"p": None}, stats=None),
    add(
        "é",
        partitionValues={"p": "\N{LINE SEPARATOR}é"},
        stats='{"minValues":{"a":"é"}}',
        deletionVector=VECTOR,
    ),
    add("d", deletionVector=INLINE),
    add("e", partitionValues={}, baseRowId=5, defaultRowCommitVersion=2, dataChange=False),
]


def classic(table: Table, version: int) -> None:
    table.classic(version, *HEAD, *FILES, remove("gone"))


def multipart(table: Table, version: int) -> None:
    table.multipart(version, [*HEAD], [*FILES[:2], remove("gone")], FILES[2:])


def second_version_parquet(table: Table, version: int) -> None:
    table.second_version(version, *HEAD, sidecars=[FILES[:3], FILES[3:]], kind="parquet")


def second_version_json(table: Table, version: int) -> None:
    table.second_version(version, *HEAD, sidecars=[FILES[:3], FILES[3:]], kind="json")


def second_version_without_sidecars(table: Table, version: int) -> None:
    table.second_version(version, *HEAD, *FILES, sidecars=[], kind="json")


def classic_with_sidecars(table: Table, version: int) -> None:
    table.parquet("_sidecars/one.parquet", *FILES)
    table.classic(
        version,
        *HEAD,
        {
            "sidecar": {
                "path": "file:/elsewhere/_delta_log/_sidecars/one.parquet",
                "sizeInBytes": 1,
                "modificationTime": 1,
            }
        },
    )


KINDS = (
    classic,
    multipart,
    second_version_parquet,
    second_version_json,
    second_version_without_sidecars,
    classic_with_sidecars,
)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Return a table without commits."""
    return Table(tmp_path / "table")


def state(log: Log, version: int | None = None) -> list[Any]:
    """Return the state of a version in a comparable form."""
    snapshot = log.snapshot(version)
    return [
        snapshot.version,
        dict(snapshot.protocol),
        dict(snapshot.metadata),
        sorted(map(dict, snapshot.files), key=lambda file: file["path"]),
    ]


@pytest.mark.parametrize("write", KINDS)
def test_checkpoint_has_the_state_of_its_commits(
    table: Table, tmp_path: Path, write: Callable[[Table, int], None]
) -> None:
    commits = Table(tmp_path / "commits")
    commits.commit(0, *HEAD, *FILES)
    write(table, 3)
    expected = state(Log(commits.folder))[1:]
    expected[0].setdefault("minWriterVersion", 2)
    found = state(Log(table.folder), 3)[1:]
    found[0] = {name: value for name, value in found[0].items() if value is not None}

    assert found == expected


def test_the_heading_of_a_checkpoint_is_read_without_its_files(table: Table) -> None:
    table.second_version(3, *HEAD, sidecars=[FILES], kind="parquet")
    for sidecar in (table.log / "_sidecars").iterdir():
        sidecar.unlink()
    protocol, said = Log(table.folder).heading(3)

    assert (protocol["minReaderVersion"], said["partitionColumns"]) == (1, ["p"])


def test_versions_before_the_oldest_checkpoint_are_gone_with_their_commits(table: Table) -> None:
    table.commit(2, add("x"))
    table.classic(3, *HEAD, *FILES)
    table.commit(3, add("y"))
    log = Log(table.folder)

    assert log.earliest() == 3
    with pytest.raises(NoSuchVersion, match="oldest that can be is 3"):
        log.snapshot(2)
    with pytest.raises(NoSuchVersion, match="removed from the log"):
        log.commits(1, 3)
    assert len(log.commit(2).adds) == 1


def test_the_times_of_versions_outlive_the_commits_before_them(table: Table) -> None:
    table.classic(3, *HEAD)
    table.commit(3, {"commitInfo": {}})
    table.commit(4, {"commitInfo": {}})
    log = Log(table.folder)

    assert log.at_or_after(0) == 3
    assert log.at_or_before(10**15) == 4
    with pytest.raises(NoSuchVersion):
        log.at_or_before(0)


@pytest.mark.parametrize(
    "hint", ["", "{", '{"version":7,"size":1}', '{"version":"x"}', '{"version":1,"parts":3}', "[]"]
)
def test_wrong_last_checkpoint_file_is_ignored(table: Table, hint: str) -> None:
    table.commit(0, *HEAD, add("a"))
    table.classic(1, *HEAD, add("a"), add("b"))
    table.commit(1, add("b"))
    table.commit(2, add("c"))
    (table.log / "_last_checkpoint").write_text(hint)

    assert paths(Log(table.folder).snapshot()) == ["a", "b", "c"]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def replaced(path: Path) -> None:
    path.write_bytes(b"PAR1 this is no Parquet file, though it begins like one PAR1")


def made_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES = (cut, emptied, replaced, made_a_folder)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_passed_over_for_the_commits(
    table: Table, damage: Callable[[Path], None]
) -> None:
    table.commit(0, *HEAD, add("a"))
    table.commit(1, add("b"))
    damage(table.classic(1, *HEAD, add("a"), add("b")))

    assert paths(Log(table.folder).snapshot()) == ["a", "b"]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_passed_over_for_an_older_one(
    table: Table, damage: Callable[[Path], None]
) -> None:
    table.classic(1, *HEAD, add("a"))
    table.commit(2, add("b"))
    damage(table.multipart(2, [*HEAD], [add("a"), add("b")])[1])

    assert paths(Log(table.folder).snapshot()) == ["a", "b"]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_that_nothing_can_replace_is_named(
    table: Table, damage: Callable[[Path], None]
) -> None:
    damage(table.classic(3, *HEAD, add("a")))
    table.commit(4, add("b"))
    log = Log(table.folder)

    for ask in (log.snapshot, log.heading):
        with pytest.raises(DamagedLog, match=r"00000000000000000003\.checkpoint\.parquet"):
            ask()


def test_checkpoint_with_a_missing_part_is_ignored(table: Table) -> None:
    table.commit(0, *HEAD, add("a"))
    table.commit(1, add("b"))
    table.multipart(1, [*HEAD], [add("wrong")])[1].unlink()

    assert paths(Log(table.folder).snapshot()) == ["a", "b"]


def test_a_missing_sidecar_is_named(table: Table) -> None:
    table.second_version(3, *HEAD, sidecars=[[add("a")], [add("b")]], kind="json")
    missing = min((table.log / "_sidecars").iterdir())
    missing.unlink()

    with pytest.raises(DamagedLog, match=missing.name):
        Log(table.folder).snapshot()


def test_sidecar_outside_its_folder_is_not_read(table: Table) -> None:
    table.parquet("secret.parquet", add("a"))
    (table.log / "_sidecars").mkdir()
    sidecar = {"sidecar": {"path": "..%2Fsecret.parquet", "sizeInBytes": 1, "modificationTime": 1}}
    table.classic(3, *HEAD, sidecar)

    with pytest.raises(DamagedLog, match=r"_sidecars/secret\.parquet"):
        Log(table.folder).snapshot()


@pytest.mark.parametrize("missing", ["protocol", "metaData"])
def test_a_checkpoint_without_protocol_or_metadata_is_damaged(table: Table, missing: str) -> None:
    table.classic(3, *(action for action in HEAD if missing not in action), add("a"))

    with pytest.raises(DamagedLog, match=f"checkpoint.parquet has no {missing} action"):
        Log(table.folder).snapshot()


@pytest.mark.parametrize(
    "wrong",
    [
        add(None),
        add("a", size=None),
        add("a", deletionVector=VECTOR | {"storageType": "z"}),
        add("a", deletionVector=VECTOR | {"cardinality": None}),
    ],
)
def test_checkpoint_with_an_incomplete_file_action_is_damaged(
    table: Table, wrong: dict[str, Any]
) -> None:
    table.classic(3, *HEAD, add("b"), wrong)

    with pytest.raises(DamagedLog, match=r"checkpoint\.parquet"):
        Log(table.folder).snapshot()


def test_a_table_without_checkpoints_is_read_without_pyarrow(table: Table) -> None:
    table.commit(0, *HEAD, add("a"))
    read = (
        "import sys, pathlib; from lakepact.reference_server.delta_sharing.log import Log; "
        f"assert len(Log(pathlib.Path({str(table.folder)!r})).snapshot().files) == 1; print('pyarrow' in sys.modules)"
    )
    said = subprocess.run(
        [sys.executable, "-c", read], capture_output=True, text=True, check=True
    ).stdout

    assert said.strip() == "False"


def test_a_large_checkpoint_is_read_piece_by_piece_and_nothing_is_lost(table: Table) -> None:
    count = 33_000
    table.classic(
        3,
        *HEAD,
        *(
            add(f"part-{n}", partitionValues={"p": str(n % 7)}, stats=json.dumps({"numRecords": n}))
            for n in range(count)
        ),
    )
    files = Log(table.folder).snapshot().files

    assert len(files) == count
    for place in (0, 32_767, 32_768, count - 1):
        assert (files[place]["path"], files[place]["partitionValues"]) == (
            f"part-{place}",
            {"p": str(place % 7)},
        )
        assert json.loads(files[place]["stats"]) == {"numRecords": place}


def test_a_checkpoint_that_has_a_file_twice_is_damaged(table: Table) -> None:
    table.multipart(3, [*HEAD, add("a")], [add("a", deletionVector=VECTOR)])

    with pytest.raises(DamagedLog, match="has a file twice"):
        Log(table.folder).snapshot()


ODD_ROWS: list[tuple[str, Any]] = [
    ("add", "a"),
    ("add", {"path": b"\xff", "size": 1}),
    ("add", {"path": "a", "size": "ten"}),
    ("add", {"path": "a", "size": [1]}),
    ("add", {"path": "a", "size": -1}),
    ("add", {"path": "", "size": 1}),
    ("add", {"path": "a", "size": 1, "partitionValues": "p=x"}),
    ("add", {"path": "a", "size": 1, "deletionVector": {"storageType": 1}}),
    ("add", {"path": "a", "size": 1, "deletionVector": [1]}),
    ("add", {"path": "a", "size": 1, "stats": [1]}),
    ("sidecar", "x"),
    ("sidecar", {"path": 1}),
    ("sidecar", {"name": "x"}),
]
ODD_COLUMNS = [
    *({kind: pa.array([None, None, row])} for kind, row in ODD_ROWS),
    {"protocol": pa.array([3, None, None])},
    {"metaData": pa.array([None, {"id": "x"}, None])},
]


@pytest.mark.parametrize("odd", ODD_COLUMNS)
def test_a_checkpoint_with_columns_of_other_types_is_damaged(
    table: Table, odd: dict[str, pa.Array]
) -> None:
    columns = {
        kind: pa.array([row.get(kind) for row in HEAD] + [None], TYPES[kind])
        for kind in ("protocol", "metaData")
    }
    pq.write_table(pa.table({**columns, **odd}), table.log / f"{3:020}.checkpoint.parquet")

    with pytest.raises(DamagedLog, match=r"00000000000000000003\.checkpoint\.parquet"):
        Log(table.folder).snapshot()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_checkpoint_with_broken_bytes_is_read_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    table = Table(tmp_path_factory.mktemp("table") / "t")
    path = table.classic(3, *HEAD, *FILES)
    raw = bytearray(path.read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(raw) - 1), min_size=1, max_size=4)):
        raw[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(raw)

    with contextlib.suppress(LogError):
        assert len(Log(table.folder).snapshot().files) <= len(FILES)
