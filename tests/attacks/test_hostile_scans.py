"""Manifests of tables end no program that scans them, and take little memory."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from attacks.avro_files import block, deflated, field, header, long, record, text
from attacks.planning import planned
from attacks.random_avro import LIST, MANIFEST, numbered
from attacks.verb_runs import MOST_MIB, run_verb
from lakepact.client import IcebergCatalog, UpgradeNeeded
from lakepact.formats.avro import Avro
from lakepact.formats.limits import Limit
from raw_connections import server_process
from sampling import some

MIB = 1 << 20
#: Scans a table with one hostile file after the other.
SCANS = """
import shutil, sys
from pathlib import Path
from lakepact.client import DamagedData, IcebergCatalog, LimitExceeded
url, target = sys.argv[1:]
with IcebergCatalog(url) as catalog:
    for file in sorted(Path("hostile").iterdir()):
        shutil.copy(file, target)
        for read in (catalog.scan("a.t").batches, lambda: [catalog.scan("a.t").count()]):
            try:
                print(file.name, "rows", sum(1 for _ in read()))
            except (DamagedData, LimitExceeded) as error:
                print(file.name, str(error))
"""


TEXT = numbered(record([field("file_path", "string")]))
ARRAY = {"type": "array", "items": "long", "element-id": 1}
LISTED = b"\0" * 14  # the members of a manifest behind its path
HOSTILE: dict[str, tuple[Callable[[Any], bytes], str]] = {
    "names itself": (
        lambda _: header(record([field("a", "r")])) + block(1, b"\0" * 8),
        "before the end of its definition",
    ),
    "no Avro": (lambda _: b"{Obj" + long(-1) * 9, "it is not an Avro file"),
    "claims records": (lambda schema: header(schema) + block(2**40, b"\0" * 99), "1099511627776"),
    "deflate bomb": (
        lambda schema: (
            header(schema, avro_codec="deflate") + block(9, deflated(b"\0" * (400 * MIB)))
        ),
        "too many bytes when decompressed;",
    ),
    "20 million records": (
        lambda schema: header(schema) + block(20_000_000, b"\0" * 40_000_000),
        "more than 1000000 records",
    ),
    "long record": (
        lambda _: header(TEXT) + block(1, text(b"x" * MIB)),
        "a record is longer than 262144 bytes",
    ),
    "text behind the end": (
        lambda _: header(TEXT) + block(1, long(2**36)),
        "does not hold its 1 records",
    ),
    "text before the start": (
        lambda _: header(TEXT) + block(1, long(-(2**36))),
        "does not hold its 1 records",
    ),
    "numbers behind the end": (
        lambda _: (
            header(numbered(record([field("split_offsets", ARRAY)]))) + block(1, long(100_000_000))
        ),
        "does not hold its 1 records",
    ),
    "text as a time": (
        lambda _: (
            header(record([field("a", {"type": "string", "logicalType": "timestamp-micros"})]))
            + block(1, text("x"))
        ),
        '"timestamp-micros" that Iceberg does not have',
    ),
    "text as an enum": (
        lambda _: (
            header(record([field("a", {"type": "enum", "name": "e", "symbols": ["A"]})]))
            + block(1, b"\0")
        ),
        "its schema",
    ),
    "fields beside the type": (
        lambda _: (
            header({"type": record([field("a", "int")]), "fields": [field("a", "string")]})
            + block(1, long(400))
        ),
        "its schema is not a record",
    ),
}


@pytest.mark.parametrize("kind", some(["list", "manifest"], 2))
def test_hostile_manifests_end_scans_with_errors_of_the_client(tmp_path: Path, kind: str) -> None:
    schema = numbered(copy.deepcopy(LIST if kind == "list" else MANIFEST))
    (tmp_path / "hostile").mkdir()
    for name, (make, _) in HOSTILE.items():
        (tmp_path / "hostile" / name).write_bytes(make(schema))
    with planned(tmp_path / "warehouse") as table:
        manifests = header(numbered(copy.deepcopy(LIST)))
        manifests += block(1, text(table.write("m.avro", b"")) + LISTED)
        table.write("list.avro", manifests)
        target = table.folder / ("list.avro" if kind == "list" else "m.avro")
        words = ["-c", SCANS, f"http://127.0.0.1:{table.server.port}", str(target)]
        done = run_verb(words, tmp_path, {}, program=())

    assert done.code == 0, done.output
    for name, (_, message) in HOSTILE.items():
        lines = [line for line in done.output.splitlines() if line.startswith(name)]
        assert [message in line for line in lines] == [True, True], (name, lines)
    assert done.mib < MOST_MIB


def test_files_of_orc_are_refused_since_their_rows_have_no_limit(tmp_path: Path) -> None:
    rows = pa.table({"id": [1, 2]})
    with (
        server_process("--warehouse", str(tmp_path)) as server,
        IcebergCatalog(f"http://127.0.0.1:{server.port}") as catalog,
    ):
        catalog.create_namespace("a")
        catalog.create_table("a.t", rows.schema)
        catalog.append("a.t", rows)
        (manifest,) = tmp_path.glob("a/*/metadata/*-m0.avro")
        file = Avro(manifest.read_bytes(), Limit(MIB, ""))
        blocks = [
            block(count, content.replace(text("PARQUET"), text("ORC")))
            for content, count in file.blocks()
        ]
        manifest.write_bytes(header(file.metadata["avro.schema"]) + b"".join(blocks))

        with pytest.raises(UpgradeNeeded, match="is of ORC; only Parquet is read"):
            catalog.scan("a.t").to_arrow()
