"""`lakepact store check` finds damage in a store, and nothing in a sound store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from crashes import SCHEMA
from lakepact.reference_server import running
from lakepact.reference_server.storage.content import checksum_of
from lakepact.reference_server.store_cli import store
from sample_tables.table_documents import view_version

from .conftest import catalog_of


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    """Return a warehouse with a store that holds records of every kind, also a registered table."""
    with catalog_of(tmp_path / "w") as catalog:
        catalog.create_namespace("a")
        catalog.create_namespace(("a", "b"))
        catalog.create_table((("a", "b"), "t"), SCHEMA)
        catalog.create_table(
            (("a", "b"), "compressed"),
            SCHEMA,
            properties={"write.metadata.compression-codec": "gzip"},
        )
        made = catalog.commit_table(
            (("a", "b"), "t"), [{"action": "set-properties", "updates": {"ä": "1"}}]
        )
        catalog.create_view((("a", "b"), "v"), SCHEMA, version=view_version())
        catalog.register_table("a.registered", made.metadata_location)
    return tmp_path / "w"


def file_of(warehouse: Path) -> Path:
    return warehouse / ".lakepact" / "iceberg_rest.sqlite"


def check(path: Path) -> tuple[int, Any]:
    """Return the exit code and the report."""
    ended = CliRunner().invoke(store, ["check", str(path), "--json"])
    return ended.exit_code, json.loads(ended.stdout) if ended.stdout else ended.stderr


def found(path: Path) -> list[tuple[str, str]]:
    code, told = check(path)
    findings = [
        (finding["kind"], finding["where"]) for one in told["stores"] for finding in one["findings"]
    ]
    assert (code, told["sound"]) == (1 if findings else 0, not findings)
    return findings


def test_sound_store_has_no_findings(warehouse: Path) -> None:
    (told,) = check(warehouse)[1]["stores"]

    assert found(warehouse) == []
    assert (told["contract"], told["records"], told["files"]) == (
        "iceberg_rest",
        {"namespace": 2, "table": 3, "view": 1},
        4,
    )


def test_the_words_of_a_sound_store(warehouse: Path) -> None:
    ended = CliRunner().invoke(store, ["check", str(warehouse)])

    assert (ended.exit_code, ended.stdout.splitlines()[-1]) == (0, "sound")


def test_a_store_is_left_as_it_is(warehouse: Path) -> None:
    before = {
        path: path.read_bytes()
        for path in warehouse.rglob("*")
        if path.is_file() and not path.name.endswith("-lock")
    }
    check(warehouse)

    assert {
        path: path.read_bytes()
        for path in warehouse.rglob("*")
        if path.is_file() and not path.name.endswith("-lock")
    } == before


def changed(column: str, before: str, after: str) -> Callable[[Path], None]:
    """Change a text in a column of all records, and update their checksums."""

    def change(warehouse: Path) -> None:
        with closing(sqlite3.connect(file_of(warehouse))) as connection, connection:
            rows = connection.execute(
                "SELECT rowid, collection, place, name, kind, body, tag, batch FROM record"
            ).fetchall()
            names = ["rowid", "collection", "place", "name", "kind", "body", "tag", "batch"]
            for row in rows:
                record = dict(zip(names, row, strict=True))
                value = record[column]
                record[column] = (
                    value.replace(before.encode(), after.encode())
                    if isinstance(value, bytes)
                    else value.replace(before, after)
                )
                checksum = checksum_of(*(record[name] for name in names[1:]))
                connection.execute(
                    f"UPDATE record SET {column} = ?, checksum = ? WHERE rowid = ?",
                    (record[column], checksum, record["rowid"]),
                )

    return change


def without(what: str) -> Callable[[Path], None]:
    def remove(warehouse: Path) -> None:
        with closing(sqlite3.connect(file_of(warehouse))) as connection, connection:
            connection.execute(f"DELETE FROM record WHERE {what}")

    return remove


def with_checksum_off(warehouse: Path) -> None:
    with closing(sqlite3.connect(file_of(warehouse))) as connection, connection:
        connection.execute("UPDATE record SET checksum = checksum + 1 WHERE name = 'v'")


def metadata_files(warehouse: Path) -> list[Path]:
    return sorted(warehouse.glob("a/b/t-*/metadata/00001-*"))


def without_file(warehouse: Path) -> None:
    metadata_files(warehouse)[0].unlink()


def with_torn_file(warehouse: Path) -> None:
    path = metadata_files(warehouse)[0]
    path.write_bytes(path.read_bytes()[:100])


def with_other_file(warehouse: Path) -> None:
    path = metadata_files(warehouse)[0]
    path.write_bytes(path.read_bytes().replace("ä".encode(), b"o"))


def with_garbage(warehouse: Path) -> None:
    path = file_of(warehouse)
    raw = path.read_bytes()
    path.write_bytes(raw[:4096] + b"\xff" * (len(raw) - 4096))


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        pytest.param(with_checksum_off, {("checksum", "v")}, id="checksum"),
        pytest.param(
            changed("body", '"schema-id":0', '"schema-id":"0"'),
            {("schema", "a.b.t"), ("schema", "a.b.v")},
            id="schema",
        ),
        pytest.param(
            changed("body", '"current-schema-id":0', '"current-schema-id":7'),
            {("schema", "a.b.t")},
            id="inconsistent",
        ),
        pytest.param(
            changed("body", '{"namespace":', '{ "namespace":'),
            {("bytes", "a"), ("bytes", "a.b")},
            id="other bytes",
        ),
        pytest.param(
            changed("body", '{"namespace":', '"namespace":'),
            {("bytes", "a"), ("bytes", "b")},
            id="not JSON",
        ),
        pytest.param(
            changed("body", '["a","b"]', '["a","c"]'), {("key", "a.b")}, id="another namespace"
        ),
        pytest.param(
            changed("tag", '"', '"x'), {("tag", "a.b.t"), ("tag", "a.registered")}, id="tag"
        ),
        pytest.param(
            without("kind = 'namespace' AND name = 'b'"),
            {("namespace", "a.b.t"), ("namespace", "a.b.v")},
            id="no namespace",
        ),
        pytest.param(
            without("kind = 'namespace' AND name = 'a'"),
            {("namespace", "a.b"), ("namespace", "a.registered")},
            id="no parent",
        ),
        pytest.param(
            without_file,
            {("metadata-file", "a.b.t"), ("metadata-file", "a.registered")},
            id="no file",
        ),
        pytest.param(
            with_torn_file,
            {("metadata-file", "a.b.t"), ("metadata-file", "a.registered")},
            id="torn file",
        ),
        pytest.param(
            with_other_file,
            {("metadata-file", "a.b.t"), ("metadata-file", "a.registered")},
            id="other file",
        ),
        pytest.param(with_garbage, {("integrity", "iceberg_rest.sqlite")}, id="malformed"),
    ],
)
def test_damage_is_found(
    warehouse: Path, damage: Callable[[Path], None], expected: set[tuple[str, str]]
) -> None:
    damage(warehouse)

    assert expected <= set(found(warehouse))


def test_a_store_in_use_cannot_be_looked_at(warehouse: Path) -> None:
    with running(warehouse=str(warehouse), store="file"):
        code, told = check(warehouse)

    assert (code, "in use" in told) == (3, True)


def test_a_store_of_a_newer_format_cannot_be_looked_at(warehouse: Path) -> None:
    with closing(sqlite3.connect(file_of(warehouse))) as connection:
        connection.execute("PRAGMA user_version = 3")

    assert check(warehouse)[0] == 3


@pytest.mark.parametrize("what", ["no store", "another file", "nothing"])
def test_path_that_is_no_store_ends_with_2(tmp_path: Path, what: str) -> None:
    path = tmp_path if what == "no store" else tmp_path / "file"
    if what == "another file":
        path.write_bytes(b"hello")

    assert CliRunner().invoke(store, ["check", str(path)]).exit_code == 2
