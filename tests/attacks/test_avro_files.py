"""Avro files of tables end no server, take little memory, and delay no other caller."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from attacks.avro_files import (
    LIST,
    MANIFEST,
    block,
    deflated,
    field,
    header,
    long,
    record,
    text,
)
from attacks.planning import Planned, planned
from sampling import by_day

MIB = 1024 * 1024
ITSELF = record([field("a", "r")])
CHOICES = record([field("a", ["null", "r"])])
REDEFINED = record(
    [
        field("a", record([], "x.b")),
        field("c", record([field("d", "x.b")], "x.c")),
        field("e", record([field("f", "x.c")], "x.b")),
        field("g", "x.b"),
    ]
)


def doubled(depth: int) -> object:
    """Return a schema in which each type has two fields of the type before."""
    fields = [field("t0", record([field("a", "null")], "t0"))]
    fields += [
        field(f"t{n}", record([field("a", f"t{n - 1}"), field("b", f"t{n - 1}")], f"t{n}"))
        for n in range(1, depth)
    ]
    return record(fields)


def chained(depth: int) -> object:
    """Return a schema of types that lie in each other by their names alone."""
    fields = [field("t0", "int")]
    fields += [
        field(f"t{n}", record([field("a", f"t{n - 1}" if n > 1 else "int")], f"t{n}"))
        for n in range(1, depth)
    ]
    return record(fields)


def nested(depth: int) -> str:
    """Return a schema of arrays in each other."""
    return '{"type":"array","items":' * depth + '"int"' + "}" * depth


def repeated(items: object, count: int, content: bytes) -> bytes:
    """Return a file with one record, a list that claims to have so many items."""
    schema = record([field("a", {"type": "array", "items": items})])
    return header(schema) + block(1, long(count) + content + long(0))


def many_members() -> bytes:
    """Return a header with as many members as fit into 60 MiB."""
    pairs = b"".join(text(f"{n:x}") + b"\x00" for n in range(5_000_000))
    schema = text("avro.schema") + text(json.dumps(LIST))
    return b"Obj\x01" + long(5_000_001) + schema + pairs + long(0) + b"s" * 16


PAIR = record([field("key", "int"), field("value", "bytes")], "kv")
DICT = record([field("a", record([field("b", record([field("c", "int")], "z"))], "y"))], "x")
NULLS = record([field("i", "int"), *(field(f"n{n}", "null") for n in range(2000))], "n")

#: By name: a manifest list, and a part of the message that the plan fails with.
FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "names itself": (lambda: header(ITSELF) + block(1, b"\0" * 8), "before the end of its def"),
    "chooses itself": (
        lambda: header(CHOICES) + block(1, b"\2" * MIB),
        "before the end of its def",
    ),
    "redefines": (lambda: header(REDEFINED) + block(1, b"\0" * 8), "deep"),
    "doubles": (lambda: header(doubled(40)) + block(1, b"\0" * 8), "deep"),
    "chains": (lambda: header(chained(2000)) + block(1, b"\0" * 4000), "deep"),
    "nests": (lambda: header(nested(5000)) + block(1, b"\0" * 8), "its schema"),
    "nests in bounds": (lambda: header(nested(900)) + block(1, b"\0" * 8), "deep"),
    "long schema": (lambda: header('["null"' + " " * MIB + "]"), "schema is longer than 262144"),
    "claims records": (lambda: header(LIST) + block(2**40, b"\0" * 8), "8 bytes for 1099511627776"),
    "empty records": (lambda: header(record([])) + block(2**40, b""), "values in a byte"),
    "null records": (lambda: header("null".join('""')) + block(2**40, b"\0"), "values in a byte"),
    "claims a size": (lambda: header(LIST) + long(1) + long(2**40), "ends too early"),
    "null items": (lambda: repeated("null", 2**40, b""), "values in a byte"),
    "fixed items": (
        lambda: repeated({"type": "fixed", "name": "f", "size": 0}, 2**40, b""),
        "values in a byte",
    ),
    "objects of nulls": (lambda: repeated(NULLS, MIB, b"\0" * MIB), "values in a byte"),
    "objects in objects": (lambda: repeated(DICT, MIB, b"\0" * MIB), "values in a byte"),
    "long record": (
        lambda: repeated(PAIR, 20 * MIB, b"\0" * 40 * MIB),
        "a record is longer than 262144 bytes; --max-manifest",
    ),
    "record of pairs": (lambda: repeated(PAIR, 200_000, b"\0" * 400_000), "no list of manifests"),
    "deflate bomb": (
        lambda: header(LIST, avro_codec="deflate") + block(9, deflated(b"\0" * 400 * MIB)),
        "too many bytes when decompressed; --max-manifest",
    ),
    "20 million records": (
        lambda: header(LIST) + block(20_000_000, b"\0" * 40_000_000),
        "more than 1000000 records",
    ),
    "empty manifests": (
        lambda: header(LIST) + block(900_000, b"".join(map(_entry, range(900_000)))),
        "more than 100000 manifests",
    ),
    "large file": (lambda: header(LIST) + block(1, b"\0" * 70 * MIB), "--max-manifest"),
    "many members": (many_members, "header is longer than 2097152 bytes; --max-manifest"),
    "long path": (
        lambda: header(LIST) + block(1, text("file:///" + "p" * 200_000) + b"\0"),
        "is longer than a file system allows",
    ),
    "path with a host": (
        lambda: header(LIST) + block(1, text("file://[" + "p" * 200_000) + b"\0"),
        "cannot be planned",
    ),
    "unknown codec": (
        lambda: header(LIST, avro_codec="x" * MIB) + block(1, b"\0" * 8),
        "expected deflate or null",
    ),
}


def _entry(number: int) -> bytes:
    return text(f"{number:x}") + b"\0"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Planned]:
    with planned(tmp_path) as table:
        yield table


@pytest.mark.parametrize("name", by_day(FILES, FILES.keys() - {"many members"}))
def test_hostile_manifest_list_fails_the_plan_alone(table: Planned, name: str) -> None:
    make, message = FILES[name]
    table.write("list.avro", make())

    plan = table.plan()

    assert plan["status"] == "failed"
    assert message in plan["error"]["message"]
    assert len(plan["error"]["message"]) < 700
    table.assert_sound()


def entry(path: bytes, *, content: int = 0, status: int = 1) -> bytes:
    return long(status) + long(content) + path + text("parquet") + long(5) + long(9)


def listed(table: Planned, *locations: str) -> None:
    entries = b"".join(text(location) + b"\0" for location in locations)
    table.write("list.avro", header(LIST) + block(len(locations), entries))


def test_tasks_of_a_plan_have_a_common_limit(table: Planned) -> None:
    entries = entry(text("\1" * 200_000)) * 250  # six times as long in JSON
    manifest = header(MANIFEST) + block(250, entries)
    listed(table, table.write("m.avro", manifest))

    plan = table.plan()

    assert "its tasks take too much memory; send a narrower filter" in plan["error"]["message"]
    table.assert_sound()


def test_manifests_of_a_plan_have_a_common_limit(table: Planned) -> None:
    content = header(MANIFEST, avro_codec="deflate")
    content += block(300, deflated(entry(text("p" * 200_000), status=2) * 300))
    listed(table, *(table.write(f"{n}.avro", content) for n in range(25)))

    plan = table.plan()

    assert "the files before it have more than 1073741824 bytes" in plan["error"]["message"]
    table.assert_sound()


def test_manifest_within_the_limits_is_planned(table: Planned) -> None:
    manifest = header(MANIFEST, avro_codec="deflate")
    manifest += block(3000, deflated(entry(text("file:///d.parquet")) * 3000))
    listed(table, table.write("m.avro", manifest + block(1, deflated(entry(text("file:///e"))))))

    plan = table.plan()

    assert plan["status"] == "completed"
    assert len(plan["plan-tasks"]) == 1  # 2,000 tasks are on the first page
    table.assert_sound()


def test_larger_manifests_are_read_with_another_setting(tmp_path: Path) -> None:
    with planned(tmp_path, "--max-manifest", str(MIB)) as table:
        table.write("list.avro", header(LIST) + block(1, b"\0" * 2 * MIB))
        assert "--max-manifest allows more" in table.plan()["error"]["message"]
    with planned(tmp_path / "b", "--max-manifest", str(4 * MIB)) as table:
        table.write("list.avro", header(LIST) + block(1, b"\0" * 2 * MIB))
        assert "--max-manifest" not in table.plan()["error"]["message"]
