"""Parquet files of a kilobyte that decode to gigabytes are read in little memory, through catalogs
and shares.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog import load_catalog

from attacks.verb_runs import MOST_MIB, run_verb
from two_catalogs import served

ROWS, LENGTH = 65_536, 20_000
TOKEN = "0123456789" * 4
SHARES = """version: 1
shares: [{{name: s, schemas: [{{name: ns, tables: [{{name: t, location: {}}}]}}]}}]
recipients: [{{name: reader, bearerToken: "{}"}}]
"""
SCAN = """
import sys
from lakepact.client import IcebergCatalog
with IcebergCatalog(sys.argv[1]) as catalog:
    print(sum(batch.num_rows for batch in catalog.scan("ns.t").batches()))
"""


def write_file(path: Path) -> None:
    """Write a file of four columns, whose rows all hold one long text."""
    text = pa.DictionaryArray.from_arrays(pa.array([0] * ROWS, pa.int32()), ["x" * LENGTH])
    table = pa.table(dict.fromkeys("abcd", text))
    pq.write_table(table, path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 1500


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("warehouse")
    write_file(folder / "file.parquet")
    with served(folder) as url:
        with load_catalog("own", type="rest", uri=url) as catalog:
            catalog.create_namespace("ns")
            schema = pa.schema([(name, pa.string()) for name in "abcd"])
            catalog.create_table("ns.t", schema).add_files([(folder / "file.parquet").as_uri()])
        yield url


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("shared")
    table = folder / "t"
    (table / "_delta_log").mkdir(parents=True)
    write_file(table / "file.parquet")
    columns = [
        {"name": name, "type": "string", "nullable": True, "metadata": {}} for name in "abcd"
    ]
    actions = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {
            "metaData": {
                "id": "00000000-0000-0000-0000-000000000000",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps({"type": "struct", "fields": columns}),
                "partitionColumns": [],
                "configuration": {},
                "createdTime": 0,
            }
        },
        {
            "add": {
                "path": "file.parquet",
                "partitionValues": {},
                "size": (table / "file.parquet").stat().st_size,
                "modificationTime": 0,
                "dataChange": True,
            }
        },
    ]
    log = table / "_delta_log" / f"{0:020}.json"
    log.write_text("\n".join(map(json.dumps, actions)))
    (folder / "shares.yaml").write_text(SHARES.format(table, TOKEN))
    with served(folder / "warehouse", "--shares", str(folder / "shares.yaml")) as url:
        endpoint = f"{url}/delta-sharing"
        document = {"shareCredentialsVersion": 1, "endpoint": endpoint, "bearerToken": TOKEN}
        (folder / "reader.share").write_text(json.dumps(document))
        yield folder / "reader.share"


def test_cat_of_a_catalog_takes_little_memory(catalog: str, tmp_path: Path) -> None:
    done = run_verb(["cat", catalog, "ns.t", "--limit", "1", "--json"], tmp_path, {})

    assert (done.code, done.output.count("\n")) == (0, 1)
    assert done.mib < MOST_MIB


def test_cat_of_a_share_takes_little_memory(profile: Path, tmp_path: Path) -> None:
    done = run_verb(["cat", str(profile), "s.ns.t", "--limit", "1", "--json"], tmp_path, {})

    assert (done.code, done.output.count("\n")) == (0, 1)
    assert done.mib < MOST_MIB


def test_scan_of_a_catalog_takes_little_memory(catalog: str, tmp_path: Path) -> None:
    done = run_verb(["-c", SCAN, catalog], tmp_path, {}, program=())

    assert (done.code, done.output) == (0, f"{ROWS}\n")
    assert done.mib < MOST_MIB


@pytest.mark.nightly
@pytest.mark.parametrize("side", ["catalog", "share"])
def test_compare_takes_little_memory(
    side: str, catalog: str, profile: Path, tmp_path: Path
) -> None:
    address = catalog if side == "catalog" else f"{profile}#s"
    words = ["data", "compare", address, address, "--table", "ns.t", "--memory", "100MB"]
    done = run_verb(words, tmp_path, {})

    assert (done.code, f"{ROWS:,} rows" in done.output) == (0, True)
    assert done.mib < MOST_MIB
