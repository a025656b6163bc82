"""Random files of tables end no scan of the client otherwise than with rows or one of its errors.

`LAKEPACT_ATTACK_SECONDS` sets how long files are tried; the session `nightly` tries them for ten
minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attacks.planning import MEGABYTES, planned
from attacks.verb_runs import run_verb
from lakepact.client import IcebergCatalog
from sampling import some

SECONDS = float(os.environ.get("LAKEPACT_ATTACK_SECONDS", "4"))
SEED = os.environ.get("LAKEPACT_ATTACK_SEED", "1")
MODULES = {"PYTHONPATH": str(Path(__file__).parents[1])}
#: Writes files; a process of its own, since a file may take more memory than its scan may.
FILES = """
import sys, time
from itertools import count
from pathlib import Path
from random import Random
from attacks.random_avro import LIST, MANIFEST, RandomAvro
from attacks.random_parquet import RandomParquet

kind, folder, seed = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
names = ["m0.avro", "m1.avro", "m2.avro"]
for number in count():
    chance = Random(f"{seed} {number}")
    if kind == "parquet":
        files = {"d.parquet": RandomParquet(chance).file()}
    else:
        avro = RandomAvro(chance, [f"file://{folder}/{n}" for n in [*names, "d.parquet"]])
        files = {name: avro.file(MANIFEST) for name in names} | {"list.avro": avro.file(LIST)}
    for name, content in files.items():
        (folder / f"next-{name}").write_bytes(content)
    (folder / "number").write_text(str(number))
    (folder / "number").rename(folder / "next")
    while (folder / "next").exists():
        time.sleep(0.001)
"""
SCANS = """
import os, sys, time
from pathlib import Path
from lakepact.client import IcebergCatalog, LakepactError, Limits

url, folder, seconds, seed = sys.argv[1:]
folder, outcomes = Path(folder), {}
with IcebergCatalog(url, limits=Limits(decoded=128 << 20)) as catalog:
    catalog.list_tables("a")
    import lakepact.client.iceberg_rest.pyiceberg_rows
    until = time.monotonic() + float(seconds)
    while time.monotonic() < until or "rows" not in outcomes:
        while not (folder / "next").exists():
            time.sleep(0.001)
        number = (folder / "next").read_text()
        for file in folder.glob("next-*"):
            file.rename(folder / file.name.removeprefix("next-"))
        (folder / "next").unlink()
        begun, rows = time.monotonic(), 0
        try:
            for batch in catalog.scan("a.t").batches():
                rows += batch.num_rows
                if time.monotonic() > begun + 2:
                    break
            outcome = "rows"
        except (LakepactError, ValueError, OSError) as error:
            assert len(str(error)) < 1000, (seed, number, len(str(error)))
            outcome = type(error).__name__
        except BaseException:
            print("failed", seed, number, flush=True)
            raise
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
print(outcomes)
assert len(outcomes) > 1, outcomes
"""


def scan(kind: str, folder: Path, seconds: float) -> None:
    with planned(folder) as table:
        url = f"http://127.0.0.1:{table.server.port}"
        rows = pa.table({"id": [1, 2], "text": ["a", "b"]})
        file = table.folder / "d.parquet"
        pq.write_table(rows if kind == "parquet" else rows.select(["id"]), file)
        if kind == "parquet":
            with IcebergCatalog(url) as catalog:
                catalog.drop_table("a.t")
                catalog.create_table("a.t", rows.schema)
                catalog.add_files("a.t", [file.as_uri()])
        program = [sys.executable, "-c", FILES, kind, str(table.folder), SEED]
        with subprocess.Popen(program, env=os.environ | MODULES) as files:
            words = ["-c", SCANS, url, str(table.folder), str(seconds), SEED]
            done = run_verb(words, folder, MODULES, program=(), seconds=seconds * 2 + 120)
            files.kill()
    print(done.output[-3000:], done.mib, "MiB")  # noqa: T201 - what happened, if a test fails
    assert done.code == 0
    assert done.mib < MEGABYTES


@pytest.mark.parametrize("kind", some(["parquet", "avro"], 2))
def test_random_files_end_scans_by_rows_or_errors_of_the_client(kind: str, tmp_path: Path) -> None:
    scan(kind, tmp_path, SECONDS)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["avro", "parquet"])
def test_random_files_of_ten_minutes_end_scans(kind: str, tmp_path: Path) -> None:
    scan(kind, tmp_path, 600)
