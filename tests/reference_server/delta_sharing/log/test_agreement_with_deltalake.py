"""Versions, files, statistics and times of tables written by deltalake equal those that deltalake
reads.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakepact.reference_server.delta_sharing.log import Log
from sample_tables.delta_logs import HEAD, Table, add, remove

PARTITIONS = ["x", "a b/c%=é", None]


def rows(*values: int, partition: str | None = "x") -> pa.Table:
    return pa.table(
        {"n": pa.array(values, pa.int64()), "p": pa.array([partition] * len(values), pa.string())}
    )


def as_deltalake_sees(folder: Path, version: int) -> dict[str, Any]:
    table = DeltaTable(str(folder), version=version)
    files = pa.table(table.get_add_actions()).to_pylist()
    return {
        "protocol": table.protocol().min_reader_version,
        "id": str(table.metadata().id),
        "partition columns": table.metadata().partition_columns,
        "configuration": table.metadata().configuration,
        "files": sorted(
            (f["path"], f["size_bytes"], f["num_records"], (f.get("partition") or {}).get("p"))
            for f in files
        ),
    }


def as_we_see(folder: Path, version: int) -> dict[str, Any]:
    found = Log(folder).snapshot(version)
    return {
        "protocol": found.protocol["minReaderVersion"],
        "id": found.metadata["id"],
        "partition columns": found.metadata["partitionColumns"],
        "configuration": found.metadata["configuration"],
        "files": sorted(
            (
                f["path"],
                f["size"],
                json.loads(f["stats"])["numRecords"],
                f["partitionValues"].get("p"),
            )
            for f in found.files
        ),
    }


def append(folder: Path, step: int) -> None:
    write_deltalake(
        str(folder), rows(step, step + 1, partition=PARTITIONS[step % 3]), mode="append"
    )


def overwrite(folder: Path, step: int) -> None:
    write_deltalake(str(folder), rows(step), mode="overwrite")


def delete(folder: Path, step: int) -> None:
    DeltaTable(str(folder)).delete(f"n % 2 = {step % 2}")


def optimize(folder: Path, step: int) -> None:
    del step
    DeltaTable(str(folder)).optimize.compact()


def set_property(folder: Path, step: int) -> None:
    DeltaTable(str(folder)).alter.set_table_properties(
        {"delta.deletedFileRetentionDuration": f"interval {step + 1} days"}
    )


def checkpoint(folder: Path, step: int) -> None:
    del step
    DeltaTable(str(folder)).create_checkpoint()


def merge(folder: Path, step: int) -> None:
    made = DeltaTable(str(folder)).merge(
        rows(step, step + 7), "s.n = t.n", source_alias="s", target_alias="t"
    )
    made.when_matched_update_all().when_not_matched_insert_all().execute()


STEPS = (append, overwrite, delete, optimize, set_property, checkpoint, merge)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.sampled_from(STEPS), max_size=8), st.booleans())
def test_every_version_of_a_table_equals_that_of_deltalake(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[Any],
    partitioned: bool,  # noqa: FBT001
) -> None:
    folder = tmp_path_factory.mktemp("table")
    write_deltalake(str(folder), rows(1, 2, 3), partition_by=["p"] if partitioned else None)
    for step, change in enumerate(steps):
        change(folder, step)
    log, newest = Log(folder), DeltaTable(str(folder)).version()

    assert log.latest() == newest
    for version in range(newest + 1):
        assert as_we_see(folder, version) == as_deltalake_sees(folder, version)


def test_a_table_whose_old_commits_were_removed_is_read_from_its_checkpoint(tmp_path: Path) -> None:
    write_deltalake(
        str(tmp_path),
        rows(1),
        partition_by=["p"],
        configuration={"delta.logRetentionDuration": "interval 0 days"},
    )
    for step in range(4):
        append(tmp_path, step)
    expected = as_deltalake_sees(tmp_path, 4)
    checkpoint(tmp_path, 0)
    for version in range(4):
        (tmp_path / "_delta_log" / f"{version:020}.json").unlink(missing_ok=True)

    assert Log(tmp_path).earliest() == 4
    assert as_we_see(tmp_path, 4) == expected


def test_times_are_those_of_the_history(tmp_path: Path) -> None:
    write_deltalake(str(tmp_path), rows(1))
    append(tmp_path, 0)
    said = {entry["version"]: entry["timestamp"] for entry in DeltaTable(str(tmp_path)).history()}
    log = Log(tmp_path)

    assert {version: log.timestamp(version) for version in range(2)} == pytest.approx(
        said, abs=1000
    )


SHAPES = ("classic", "multipart", "parquet", "json")
FEATURES = {
    "minReaderVersion": 3,
    "minWriterVersion": 7,
    "readerFeatures": ["v2Checkpoint"],
    "writerFeatures": ["v2Checkpoint"],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_checkpoint_written_by_hand_is_read_by_deltalake(tmp_path: Path, shape: str) -> None:
    table = Table(tmp_path / "t")
    head = [{"protocol": FEATURES}, HEAD[1]]
    files = [
        add(f"p=a%20b/{number}.parquet", partitionValues={"p": "a b"}, stats='{"numRecords":3}')
        for number in range(5)
    ]
    if shape == "classic":
        table.classic(2, *head, *files)
    elif shape == "multipart":
        table.multipart(2, head, files[:2], files[2:])
    else:
        table.second_version(2, *head, sidecars=[files[:2], files[2:]], kind=shape)
    table.commit(2, {"commitInfo": {}})
    table.commit(
        3,
        remove("p=a%20b/0.parquet"),
        add("new.parquet", partitionValues={"p": None}, stats='{"numRecords":1}'),
    )

    for version in (2, 3):
        assert as_we_see(table.folder, version) == as_deltalake_sees(table.folder, version)
