"""Each version of a random table equals the sum of its commits, however the version is rebuilt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakepact.reference_server.delta_sharing.log import Log
from lakepact.reference_server.delta_sharing.snapshots import Snapshots
from sample_tables.delta_logs import HEAD, VECTOR, Table, add, remove

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    Changes = dict[
        str, int | None
    ]  # by path: the offset of the new deletion vector, 0 for none; None: the file goes
    State = dict[str, tuple[int, int]]  # by path: the offset of the deletion vector, and the size

COMMITS = st.lists(
    st.dictionaries(st.sampled_from("abcdef"), st.none() | st.integers(0, 2), max_size=6),
    min_size=1,
    max_size=8,
)
KINDS = st.sampled_from(["classic", "multipart", "parquet", "json"])


def vector(offset: int) -> dict[str, Any]:
    return {"deletionVector": VECTOR | {"offset": offset}} if offset else {}


def history(table: Table, commits: list[Changes]) -> list[State]:
    """Write commits, and return the state of each version."""
    states: list[State] = []
    for version, changes in enumerate(commits):
        state, actions = dict(states[-1]) if states else {}, list(() if version else HEAD)
        for path, offset in changes.items():
            former, _ = state.pop(path, (0, 0))
            if offset != former:
                actions.append(remove(path, **vector(former)))
            if offset is not None:
                actions.append(add(path, size=version + 1, **vector(offset)))
                state[path] = (offset, version + 1)
        states.append(state)
        table.commit(version, {"commitInfo": {}}, *actions)
    return states


def checkpoint(table: Table, version: int, *, state: State, kind: str) -> None:
    adds = [add(path, size=size, **vector(offset)) for path, (offset, size) in state.items()]
    middle = len(adds) // 2
    if kind == "classic":
        table.classic(version, *HEAD, *adds)
    elif kind == "multipart":
        table.multipart(version, [*HEAD, *adds[:middle]], adds[middle:])
    else:
        table.second_version(version, *HEAD, sidecars=[adds[:middle], adds[middle:]], kind=kind)


def state_of(snapshot: Any) -> State:
    files = [
        (f["path"], ((f.get("deletionVector") or {}).get("offset", 0), f["size"]))
        for f in snapshot.files
    ]
    assert len(files) == len(dict(files))
    return dict(files)


QUICK = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@QUICK
@given(commits=COMMITS, data=st.data())
def test_a_version_is_what_its_commits_come_to_from_any_checkpoint(
    tmp_path_factory: pytest.TempPathFactory, commits: list[Changes], data: st.DataObject
) -> None:
    table = Table(tmp_path_factory.mktemp("table") / "t")
    states = history(table, commits)
    checkpoints = data.draw(st.dictionaries(st.integers(0, len(states) - 1), KINDS, max_size=3))
    for version, kind in checkpoints.items():
        checkpoint(table, version, state=states[version], kind=kind)
    if checkpoints:
        for version in range(data.draw(st.integers(0, min(checkpoints) + 1))):
            (table.log / f"{version:020}.json").unlink()
    log = Log(table.folder)

    for version in range(log.earliest(), len(states)):
        assert state_of(log.snapshot(version)) == states[version]


@QUICK
@given(commits=COMMITS, asked=st.lists(st.integers(0, 7), max_size=8))
def test_a_version_is_the_same_whichever_was_asked_for_before(
    tmp_path_factory: pytest.TempPathFactory, commits: list[Changes], asked: list[int]
) -> None:
    table = Table(tmp_path_factory.mktemp("table") / "t")
    states = history(table, commits)
    snapshots = Snapshots()
    for version in [*(version % len(states) for version in asked), *range(len(states))]:
        assert state_of(snapshots.snapshot(table.folder, version)) == states[version]


@QUICK
@given(commits=COMMITS)
def test_a_table_that_grows_is_followed_commit_by_commit(
    tmp_path_factory: pytest.TempPathFactory, commits: list[Changes]
) -> None:
    full = Table(tmp_path_factory.mktemp("full") / "t")
    growing = Table(tmp_path_factory.mktemp("growing") / "t")
    states, snapshots = history(full, commits), Snapshots()
    for version, state in enumerate(states):
        name = f"{version:020}.json"
        (growing.log / name).write_bytes((full.log / name).read_bytes())
        found = snapshots.snapshot(growing.folder)
        assert (found.version, state_of(found)) == (version, state)


def test_chunks_that_nothing_happens_to_are_shared_by_versions(tmp_path: Path) -> None:
    table = Table(tmp_path / "t")
    table.commit(0, *HEAD, *(add(str(number)) for number in range(1000)))
    table.commit(1, remove("300"), add("new"))
    snapshots = Snapshots()
    before = snapshots.snapshot(table.folder, 0).files
    after = snapshots.snapshot(table.folder, 1).files

    assert [old is new for old, new in zip(before.chunks, after.chunks, strict=True)] == [
        True,
        False,
        True,
        False,
    ]
    assert [file["path"] for file in after] == [
        *(str(number) for number in range(1000) if number != 300),
        "new",
    ]


def test_a_table_that_loses_files_again_and_again_keeps_few_chunks(tmp_path: Path) -> None:
    table = Table(tmp_path / "t")
    table.commit(0, *HEAD, *(add(str(number)) for number in range(20_000)))
    table.commit(1, *(remove(str(number)) for number in range(20_000) if number % 100))
    snapshots = Snapshots()
    snapshots.snapshot(table.folder, 0)
    files = snapshots.snapshot(table.folder, 1).files

    assert len(files) == 200
    assert len(files.chunks) == 1
