"""Ten million shared rows equal those of the Parquet files, on local cores and on the executors of
a standalone master.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import write_deltalake

from spark_clusters import ALONE, PATIENCE, environment, standalone

from .conftest import TOKEN, sharing_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.spark

FILES, ROWS_OF_FILE = 10, 1_000_000
SELECTIVE = "id between 3500000 and 3500009"
PROGRAM = f"""
import json, sys, time
from pyspark.sql import SparkSession
from lakepact.spark import LakepactDataSource

_, master, profile, folder, *confs = sys.argv
builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.default.parallelism", "2")
for conf in confs:
    builder = builder.config(*conf.split("=", 1))
spark = builder.getOrCreate()
spark.dataSource.register(LakepactDataSource)
summary = ("count(*)", "sum(id)", "bit_xor(xxhash64(id, part, text, price))")
shared = spark.read.format("lakepact").option("profile", profile).option("maxPartitionBytes", 1).load("share.schema.rows")
found = {{"partitions": shared.rdd.getNumPartitions()}}
for name, rows in (("shared", shared), ("parquet", spark.read.parquet(folder))):
    began = time.monotonic()
    found[name] = list(rows.selectExpr(*summary).first())
    found[name + " seconds"] = round(time.monotonic() - began, 1)
spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
few = spark.read.format("lakepact").options(profile=profile, pushFilters="true").load("share.schema.rows").where("{SELECTIVE}")
found["selective"] = [few.count(), few.rdd.getNumPartitions()]
print(json.dumps(found))
spark.stop()
"""


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory):
    """Yield the profile and the folder of a table of ten files."""
    folder = tmp_path_factory.mktemp("large")
    for number in range(FILES):
        ids = pa.array(range(number * ROWS_OF_FILE, (number + 1) * ROWS_OF_FILE))
        part = pc.cast(pc.bit_wise_and(ids, 63), pa.int32())
        columns = {
            "id": ids,
            "part": part,
            "text": pc.cast(ids, pa.string()),
            "price": pc.divide(pc.cast(ids, pa.float64()), 7),
        }
        write_deltalake(folder / "rows", pa.table(columns), mode="append")
    with sharing_of(folder, folder / "rows") as profile:
        yield profile, str(folder / "rows")


@pytest.mark.parametrize("kind", ["local[2]", "standalone"])
def test_rows_equal_those_of_the_parquet_files(profile, tmp_path: Path, kind: str) -> None:
    with contextlib.ExitStack() as stack:
        master = stack.enter_context(standalone(tmp_path)) if kind == "standalone" else kind
        settings = [word for word in ALONE if word != "--conf"]
        command = (sys.executable, "-c", PROGRAM, master, *profile, *settings)
        done = subprocess.run(
            command,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-5000:]
    found = json.loads(done.stdout.splitlines()[-1])
    print(kind, found)  # noqa: T201 - the figures

    assert found["shared"] == found["parquet"]
    assert (found["shared"][0], found["partitions"], found["selective"]) == (
        FILES * ROWS_OF_FILE,
        FILES,
        [10, 1],
    )
    assert TOKEN not in done.stderr
