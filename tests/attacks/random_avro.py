"""Random Avro files that look like manifests: schemas with a few changes, and values that mostly
fit them.
"""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

from pyiceberg.manifest import MANIFEST_ENTRY_SCHEMAS, MANIFEST_LIST_FILE_SCHEMAS
from pyiceberg.schema import index_by_name

from attacks.avro_files import SYNC, block, deflated, field, header, long, record, text

PRIMITIVES = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"]
SIZES = [0, 1, 2, 3, 10, 100, 1000, 30_000]
MOST_BYTES = 50_000  #: of an array or map
NUMBERS = [0, 1, 2, 5, -1, 63, 64, 2**31, 2**40, 2**62, -(2**40), -(2**63)]


#: The ids of fields by their names; those of other fields are their numbers in the schema.
IDS = {
    name.rpartition(".")[2]: number
    for schema in (MANIFEST_LIST_FILE_SCHEMAS[3], MANIFEST_ENTRY_SCHEMAS[3])
    for name, number in index_by_name(schema).items()
}


def pairs(key: int, value: int, type_: Any) -> Any:
    fields = [field("key", "int") | {"field-id": key}, field("value", type_) | {"field-id": value}]
    items = record(fields, f"k{key}_v{value}")
    return ["null", {"type": "array", "items": items, "logicalType": "map"}]


def _array(items: Any) -> Any:
    return {"type": "array", "items": items, "element-id": 3000}


SUMMARY = record(
    [
        field("contains_null", "boolean"),
        field("contains_nan", ["null", "boolean"]),
        field("lower_bound", ["null", "bytes"]),
        field("upper_bound", ["null", "bytes"]),
    ],
    "r508",
)
LIST = record(
    [
        field("manifest_path", "string"),
        field("manifest_length", "long"),
        field("partition_spec_id", "int"),
        field("content", "int"),
        field("sequence_number", "long"),
        field("min_sequence_number", "long"),
        field("added_snapshot_id", "long"),
        field("added_files_count", "int"),
        field("existing_files_count", "int"),
        field("deleted_files_count", "int"),
        field("added_rows_count", "long"),
        field("existing_rows_count", "long"),
        field("deleted_rows_count", "long"),
        field("partitions", ["null", _array(SUMMARY)]),
        field("key_metadata", ["null", "bytes"]),
    ],
    "manifest_file",
)
FILE = record(
    [
        field("content", "int"),
        field("file_path", "string"),
        field("file_format", "string"),
        field("partition", record([field("p", ["null", "int"])], "r102")),
        field("record_count", "long"),
        field("file_size_in_bytes", "long"),
        field("column_sizes", pairs(117, 118, "long")),
        field("value_counts", pairs(119, 120, "long")),
        field("null_value_counts", pairs(121, 122, "long")),
        field("lower_bounds", pairs(126, 127, "bytes")),
        field("upper_bounds", pairs(129, 130, "bytes")),
        field("split_offsets", ["null", _array("long")]),
        field("equality_ids", ["null", _array("int")]),
        field("sort_order_id", ["null", "int"]),
    ],
    "r2",
)
MANIFEST = record(
    [
        field("status", "int"),
        field("snapshot_id", ["null", "long"]),
        field("sequence_number", ["null", "long"]),
        field("data_file", FILE),
    ],
    "manifest_entry",
)


class RandomAvro:
    """Writes files by one source of chance.

    Args:
        random: the source.
        paths: what texts are chosen from, beside random ones.
    """

    def __init__(self, random: Random, paths: list[str]) -> None:
        self._random, self._paths = random, paths
        self._names = 0

    def file(self, schema: Any) -> bytes:
        """Return a file of records that fit a schema more or less."""
        chance = self._random
        schema = copy.deepcopy(schema)
        for _ in range(chance.choice([0] * 6 + [1, 1, 2, 5])):
            self._change(schema)
        codec = chance.choice(["null"] * 9 + ["deflate"] * 10 + ["snappy"])
        content = header(self._spelled(schema), avro_codec=codec)
        for _ in range(chance.choice([0, 1, 1, 1, 2, 5])):
            count = chance.choice([1, 2, 5, 50, 3000])
            records = self._records(schema, count)
            if codec == "deflate":
                bomb = chance.choice([1] * 80 + [2, 2000 * MOST_BYTES // (len(records) + 1)])
                records = deflated(records * bomb)
            content += block(chance.choice(NUMBERS) if chance.random() < 0.03 else count, records)
        return self._damaged(content)

    def _spelled(self, schema: Any) -> str:
        deep = self._random.choice([30, 900, 50_000])
        if self._random.random() < 0.01:
            return '{"type":"array","items":' * deep + '"int"' + "}" * deep
        return json.dumps(numbered(schema))

    def _records(self, schema: Any, count: int) -> bytes:
        one = b"".join(self._value(schema, {}, 0) for _ in range(min(count, 5)))
        return one * min(max(1, count // 5), 1 + MOST_BYTES // len(one)) if one else b""

    def _damaged(self, content: bytes) -> bytes:
        chance = self._random
        if chance.random() < 0.85:
            return content
        changed = bytearray(content)
        for _ in range(chance.choice([1, 1, 3, 20])):
            place = chance.randrange(len(changed))
            kind = chance.randrange(4)
            if kind == 0:
                changed[place] = chance.randrange(256)
            elif kind == 1:
                del changed[place : place + chance.choice(SIZES[1:6])]
            elif kind == 2:
                changed[place:place] = long(chance.choice(NUMBERS))
            else:
                changed[place:place] = SYNC * chance.choice([1, 100])
            if not changed:
                return b""
        return bytes(changed)

    def _change(self, schema: Any) -> None:
        """Replace the type of a field, or add fields."""
        fields = list(_fields(schema))
        target = self._random.choice(fields)
        if self._random.random() < 0.7:
            target["type"] = self._type(schema, 0)
            return
        count = self._random.choice([1, 3, 100])
        grown = next(f for f in _records_of(schema))
        self._names += 1
        new = (field(f"new{self._names}_{n}", self._type(schema, 2)) for n in range(count))
        grown["fields"].extend(new)

    def _type(self, schema: Any, depth: int) -> Any:
        chance = self._random
        kind = chance.randrange(12 if depth < 4 else 5)
        self._names += 1
        if kind < 4:
            return chance.choice(PRIMITIVES)
        if kind == 4:
            names = [one["name"] for one in _records_of(schema)]
            return chance.choice([*names, "unknown", "a.b"])
        if kind == 5:
            return _array(self._type(schema, depth + 1))
        if kind == 6:
            ids = {"key-id": 2000, "value-id": 2001}
            return {"type": "map", "values": self._type(schema, depth + 1)} | ids
        if kind == 7:
            return {"type": "fixed", "name": f"f{self._names}", "size": chance.choice(NUMBERS)}
        if kind == 8:
            return {"type": "enum", "name": f"e{self._names}", "symbols": ["A", "B"]}
        if kind == 9:
            return [self._type(schema, depth + 1) for _ in range(chance.choice([1, 2, 3]))]
        if kind == 10:
            return {"type": self._type(schema, depth + 1)}
        count = chance.choice([0, 1, 2, 20])
        fields = [field(f"f{n}", self._type(schema, depth + 1)) for n in range(count)]
        return record(fields, f"r{self._names}")

    def _value(self, schema: Any, names: dict[str, Any], depth: int) -> bytes:
        chance = self._random
        if depth > 30 or chance.random() < 0.0005:
            return chance.randbytes(chance.choice(SIZES[:6]))
        if isinstance(schema, list):
            index = chance.randrange(len(schema))
            return long(index) + self._value(schema[index], names, depth + 1)
        if isinstance(schema, str):
            return self._primitive(schema, names, depth)
        kind = schema["type"]
        if kind == "record":
            names[schema["name"]] = schema
            return b"".join(self._value(f["type"], names, depth + 1) for f in schema["fields"])
        if kind in ("array", "map"):
            return self._items(schema, names, depth)
        if kind == "fixed":
            return chance.randbytes(min(max(schema["size"], 0), 100))
        if kind == "enum":
            return long(chance.choice([0, 1, 1, 2, -1, 99]))
        return self._value(kind, names, depth + 1)

    def _items(self, schema: Any, names: dict[str, Any], depth: int) -> bytes:
        chance = self._random
        items = schema.get("items", schema.get("values"))
        key = text("k") if schema["type"] == "map" else b""
        one = key + self._value(items, names, depth + 1)
        count = min(chance.choice([0, 1, 2, 2, 30_000]), MOST_BYTES // max(1, len(one)))
        claimed = chance.choice(NUMBERS) if chance.random() < 0.01 else count
        return (long(claimed) if claimed else b"") + one * count + long(0)

    def _primitive(self, kind: str, names: dict[str, Any], depth: int) -> bytes:
        chance = self._random
        if kind in {"int", "long"}:
            return long(chance.choice([0] * 8 + [1, 1, 2, chance.choice(NUMBERS)]))
        if kind == "string":
            if chance.random() < 0.95:
                return text(chance.choice(self._paths))
            return text(chance.choice(["p" * chance.choice(SIZES), "avro", "é\U0001f600", "\0"]))
        if kind == "bytes":
            return text(chance.randbytes(chance.choice([0, 1, 4, 8, 16, 1000])))
        if kind == "boolean":
            return b"\1"
        if kind in {"float", "double"}:
            return chance.randbytes(4 if kind == "float" else 8)
        is_there = kind in names and depth < 5
        return self._value(names[kind], names, depth + 1) if is_there else b"\0"


def numbered(schema: Any) -> Any:
    """Return a schema whose fields have ids, without which pyiceberg reads no file."""
    for number, one in enumerate(_fields(schema)):
        one.setdefault("field-id", IDS.get(one["name"], 1000 + number))
    return schema


def _records_of(schema: Any) -> Any:
    """Yield the records of a schema."""
    if isinstance(schema, list):
        for branch in schema:
            yield from _records_of(branch)
    elif isinstance(schema, dict):
        if schema.get("type") == "record":
            yield schema
        for part in (schema["type"], schema.get("items"), schema.get("values")):
            yield from _records_of(part)
        for one in schema.get("fields", ()):
            yield from _records_of(one["type"])


def _fields(schema: Any) -> Any:
    """Yield the fields of all records of a schema."""
    for one in _records_of(schema):
        yield from one["fields"]
