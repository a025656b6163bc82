"""Refusals of damaged logs name the table and the log file, and no folder of the server."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sample_tables.delta_logs import HEAD, METADATA, PROTOCOL, add
from sample_tables.shared_tables import Lines, SharedTable, ids

FAILED = (500, "INTERNAL_ERROR")
ON = {"delta__enableChangeDataFeed": "true"}
ASKS: dict[str, Callable[[Any], Any]] = {
    "metadata": lambda table: table.metadata(),
    "query": lambda table: table.query(),
    "window": lambda table: table.query(startingVersion=0),
    "changes": lambda table: table.changes(startingVersion=0),
}


def assert_refusal_names(answer: Lines, table: SharedTable, folder: Path, *words: str) -> None:
    """Assert that a refusal names the table and the mistake, and not the folder."""
    assert f"s.d.{table.name}" in answer.message
    assert all(word in answer.message for word in words)
    assert str(folder) not in answer.message


@pytest.mark.parametrize("ask", ASKS)
def test_a_damaged_commit_fails_with_its_name(table: SharedTable, folder: Path, ask: str) -> None:
    table.begun(add("a"), **ON)
    table.commit(1, add("b")).write_text('{"add":{"path":"b","size"')

    answer = ASKS[ask](table)

    assert answer.refusal == FAILED
    assert_refusal_names(answer, table, folder, "00000000000000000001.json", "line 1")


@pytest.mark.parametrize("ask", ["metadata", "query", "version"])
def test_a_table_without_a_log_fails(table: SharedTable, folder: Path, ask: str) -> None:
    answer = getattr(table, ask)()

    assert answer.refusal == FAILED
    assert_refusal_names(answer, table, folder)


@pytest.mark.parametrize("ask", ["metadata", "query"])
def test_a_gap_in_the_log_fails(table: SharedTable, folder: Path, ask: str) -> None:
    table.begun(add("a"))
    table.commit(2, add("c"))

    answer = getattr(table, ask)()

    assert answer.refusal == FAILED
    assert_refusal_names(answer, table, folder, "00000000000000000001.json")


@pytest.mark.parametrize(
    "path",
    ["../other/a", "/etc/passwd", "file:///etc/passwd", "s3://bucket/a", "%2e%2e/a", "a/../../b"],
)
@pytest.mark.parametrize("ask", ["query", "window", "changes"])
def test_a_path_out_of_the_table_fails(
    table: SharedTable, folder: Path, path: str, ask: str
) -> None:
    answer = ASKS[ask](table.begun(add(path), **ON))

    assert answer.refusal == FAILED
    assert_refusal_names(answer, table, folder)
    assert "/etc/" not in answer.message


def test_a_feature_that_this_server_does_not_know_is_refused(table: SharedTable) -> None:
    protocol = PROTOCOL | {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["fromTheFuture"],
    }
    table.commit(0, {"protocol": protocol}, {"metaData": METADATA})

    answer = table.query("responseformat=delta;readerfeatures=fromthefuture")

    assert answer.refusal == (400, "UNSUPPORTED_OPERATION")
    assert "fromTheFuture" in answer.message


def test_a_log_that_is_mended_is_read_again(table: SharedTable) -> None:
    table.begun(add("a"))
    broken = table.commit(1, add("b"))
    whole = broken.read_text()
    broken.write_text("{")
    assert table.query().status == 500

    broken.write_text(whole)

    assert table.query().ids == ids("a", "b")


def test_answers_while_others_commit_are_each_of_one_version(table: SharedTable) -> None:
    table.begun(add("f0"))
    done = threading.Event()

    def commit() -> None:
        for version in range(1, 60):
            written = table.write(f"{version}.tmp", add(f"f{version}"))
            written.replace(table.log / f"{version:020}.json")
        done.set()

    writer = threading.Thread(target=commit)
    writer.start()
    seen: list[Lines] = []
    while not done.is_set() or len(seen) < 3:
        seen += [table.query(), table.query(startingVersion=0)]
    writer.join()

    listed, told = seen[::2], seen[1::2]
    assert all(
        answer.ids == ids(*(f"f{n}" for n in range(answer.version + 1))) for answer in listed
    )
    assert all(answer.of("metaData")[0]["numFiles"] == answer.version + 1 for answer in listed)
    assert all(answer.ids == ids(*(f"f{n}" for n in range(len(answer.ids)))) for answer in told)
    assert table.query().version == 59


def test_head_actions_that_are_missing_fail(table: SharedTable, folder: Path) -> None:
    table.commit(0, HEAD[1], add("a"))

    answer = table.query()

    assert answer.refusal == FAILED
    assert_refusal_names(answer, table, folder, "protocol")


@pytest.mark.parametrize("ask", ["metadata", "query", "window"])
def test_a_pipe_in_the_place_of_a_commit_fails_at_once(
    table: SharedTable, folder: Path, ask: str
) -> None:
    table.begun(add("a"))
    os.mkfifo(table.log / f"{1:020}.json")

    answer = ASKS[ask](table)

    assert answer.refusal == FAILED
    assert_refusal_names(answer, table, folder, "00000000000000000001.json", "no regular file")


@pytest.mark.parametrize("ask", ["metadata", "query", "window"])
def test_the_log_of_another_table_is_not_read_through_a_link(
    tables: Callable[[str], SharedTable], folder: Path, ask: str
) -> None:
    other, table = tables("open").begun(add("of-another")), tables("open")
    table.log.rmdir()
    table.log.symlink_to(other.log)

    answer = ASKS[ask](table)

    assert answer.refusal == FAILED
    assert_refusal_names(answer, table, folder, "a link leads out of the table's folder")


def test_a_commit_outside_the_table_is_not_read_through_a_link(
    tables: Callable[[str], SharedTable], folder: Path
) -> None:
    other, table = tables("open").begun(add("of-another")), tables("open").begun(add("a"))
    (table.log / f"{1:020}.json").symlink_to(other.log / f"{0:020}.json")

    answer = table.query()

    assert answer.refusal == FAILED
    assert_refusal_names(answer, table, folder, "00000000000000000001.json")


def test_links_within_a_table_are_followed(table: SharedTable) -> None:
    table.begun(add("a"))
    written = table.commit(1, add("b"))
    kept = table.folder / "elsewhere.json"
    written.replace(kept)
    written.symlink_to(kept)

    assert table.query().ids == ids("a", "b")


@pytest.mark.parametrize(
    "schema",
    [
        "nope",
        "[]",
        '{"fields":5}',
        '{"fields":[{"type":"long"}]}',
        '{"x":' + "[" * 2000 + "]" * 2000 + "}",
    ],
)
def test_a_schema_that_cannot_be_read_makes_hints_useless_and_no_query_fail(
    table: SharedTable, schema: str
) -> None:
    table.commit(0, HEAD[0], {"metaData": METADATA | {"schemaString": schema}}, add("a"))
    tree = {"op": "isNull", "children": [{"op": "column", "name": "a", "valueType": "string"}]}

    assert table.query(predicateHints=["a = 'x'"]).ids == ids("a")
    assert table.query(jsonPredicateHints=json.dumps(tree)).ids == ids("a")


def test_log_line_of_a_failure_names_no_folder(
    table: SharedTable, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert table.begun(add(f"{folder}/of-another")).query().refusal == FAILED

    assert f"s.d.{table.name}" in caplog.text
    assert str(folder) not in caplog.text
