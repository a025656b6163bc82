"""Random manifests of tables end no scan of the client otherwise than with rows or one of its errors.

`LAKEPACT_ATTACK_SECONDS` sets how long files are tried; the session `nightly` tries them for ten
minutes.
"""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attacks.planning import MEGABYTES, planned
from attacks.verb_runs import run_verb

SECONDS = float(os.environ.get("LAKEPACT_ATTACK_SECONDS", "10"))
SEED = os.environ.get("LAKEPACT_ATTACK_SEED", "1")
SCANS = """
import os, sys, time
from pathlib import Path
from random import Random
from attacks.random_avro import LIST, MANIFEST, RandomAvro
from lakepact.client import IcebergCatalog, LakepactError, Limits

url, folder, seconds, seed = sys.argv[1:]
folder, outcomes = Path(folder), {}
with IcebergCatalog(url, limits=Limits(decoded=128 << 20)) as catalog:
    catalog.list_tables("a")
    import lakepact.client.iceberg_rest.pyiceberg_rows
    until = time.monotonic() + float(seconds)
    for number in range(10**6):
        if time.monotonic() > until and "rows" in outcomes:
            break
        chance = Random(f"{seed} {number}")
        names = ["m0.avro", "m1.avro", "m2.avro"]
        files = RandomAvro(chance, [f"file://{folder}/{n}" for n in [*names, "d.parquet"]])
        for name in names:
            (folder / name).write_bytes(files.file(MANIFEST))
        (folder / "list.avro").write_bytes(files.file(LIST))
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
assert outcomes.pop("rows") and sum(outcomes.values()), outcomes
print(outcomes)
"""


def scan(folder: Path, seconds: float) -> None:
    with planned(folder) as table:
        pq.write_table(pa.table({"id": [1, 2]}), table.folder / "d.parquet")
        words = [f"http://127.0.0.1:{table.server.port}", str(table.folder), str(seconds), SEED]
        modules = {"PYTHONPATH": str(Path(__file__).parents[1])}
        most = seconds * 2 + 120
        done = run_verb(["-c", SCANS, *words], folder, modules, program=(), seconds=most)
    print(done.output[-3000:], done.mib, "MiB")  # noqa: T201 - what happened, if a test fails
    assert done.code == 0
    assert done.mib < MEGABYTES


def test_random_manifests_end_scans_by_rows_or_errors_of_the_client(tmp_path: Path) -> None:
    scan(tmp_path, SECONDS)


@pytest.mark.nightly
def test_random_manifests_of_ten_minutes_end_scans(tmp_path: Path) -> None:
    scan(tmp_path, 600)
