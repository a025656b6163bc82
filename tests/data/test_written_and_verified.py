"""`lakepact data` verifies written tables over both protocols and finds changed files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import deltalake
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from pyiceberg.catalog import load_catalog

from lakepact.cli import main
from lakepact.data import cli, truth
from lakepact.data.shapes import DELTA, SHAPES

ROWS = 200


def lakepact(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["data", *map(str, arguments)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept") / "data"
    result = lakepact("write", folder, "--rows", ROWS, "--files", 3, "--shape", "types")
    assert result.exit_code == 0, result.output
    return folder


def verify(folder: Path, *options: object) -> tuple[int, list[dict[str, Any]]]:
    """Return the exit code of a verification and what it compared."""
    result = lakepact("verify", folder, "--json", *options)
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


def differing(folder: Path) -> tuple[int, set[str]]:
    code, tables = verify(folder)
    return code, {table["table"] for table in tables if table["differences"] or table["error"]}


def test_written_tables_verify_over_both_protocols_at_every_version(folder: Path) -> None:
    code, tables = verify(folder)
    rows = {table["table"]: table["rows"] for table in tables}

    assert (code, [each for each in tables if each["differences"] or each["information"]]) == (
        0,
        [],
    )
    for version, count in enumerate((200, 220, 210)):
        assert rows[f"iceberg types, version {version}"] == [count, count]
        for form in ("parquet", "delta"):
            assert rows[f"delta types, version {version} in {form} format"] == [count, count]
    assert rows["delta types, version 2: changes of kind delete"] == [10, 10]


def test_verification_allows_maintenance_alone(tmp_path: Path) -> None:
    command = ("--rows", 60, "--files", 4, "--shape", "types")
    assert lakepact("write", tmp_path / "data", *command).exit_code == 0
    with cli._serve(tmp_path / "data") as url:
        table = load_catalog("own", type="rest", uri=url).load_table("lp_data.types")
        table.overwrite(table.scan().to_arrow())  # as a compaction: other files, the same rows
        oldest = min(table.snapshots(), key=lambda snapshot: snapshot.sequence_number)
        table.maintenance.expire_snapshots().by_id(oldest.snapshot_id).commit()
    shared = deltalake.DeltaTable(str(tmp_path / "data" / DELTA / "types"))
    shared.optimize.compact()
    shared.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)

    assert verify(tmp_path / "data")[0] == 1
    assert verify(tmp_path / "data", "--allow", "maintenance")[0] == 0

    deltalake.DeltaTable(str(tmp_path / "data" / DELTA / "types")).delete("id = 30")
    code, tables = verify(tmp_path / "data", "--allow", "maintenance")
    rows = {one["row"] for table in tables for one in table["differences"]}
    assert (code, "id=30" in rows) == (1, True)


def test_rows_only_passes_over_other_metadata(tmp_path: Path) -> None:
    command = ("--rows", 60, "--shape", "narrow", "--as", "iceberg")
    assert lakepact("write", tmp_path / "data", *command).exit_code == 0
    with cli._serve(tmp_path / "data") as url:
        table = load_catalog("own", type="rest", uri=url).load_table("lp_data.narrow")
        with table.update_spec() as spec:
            spec.add_identity("word")

    assert verify(tmp_path / "data")[0] == 1
    assert verify(tmp_path / "data", "--rows-only")[0] == 0


# -- wrong usage -----------------------------------------------------------------------------------


def test_unreadable_shares_exit_with_3_and_one_line(folder: Path) -> None:
    shares = folder / DELTA / "shares.yaml"
    sound = shares.read_text("utf-8")
    shares.write_text("shares: [", encoding="utf-8")
    result = lakepact("verify", folder)
    shares.write_text(sound, encoding="utf-8")

    assert (result.exit_code, "shares.yaml" in result.stderr, result.stderr.count("\n")) == (
        3,
        True,
        1,
    )


def test_write_into_a_nonempty_folder_exits_with_2(tmp_path: Path) -> None:
    (tmp_path / "other").touch()

    result = lakepact("write", tmp_path)
    assert (result.exit_code, "is not empty" in result.output) == (2, True)


def test_verify_of_an_empty_folder_exits_with_2(tmp_path: Path) -> None:
    result = lakepact("verify", tmp_path)

    assert result.exit_code == 2
    assert "holds no tables of `lakepact data write`" in result.output


def test_verify_of_another_format_exits_with_2(tmp_path: Path) -> None:
    (tmp_path / truth.FILE).write_text('{"format": 99}')

    result = lakepact("verify", tmp_path)
    assert (result.exit_code, "is of format 99" in result.output) == (2, True)


def test_unreachable_catalog_exits_with_3_and_one_line(tmp_path: Path) -> None:
    result = lakepact(
        "write",
        tmp_path / "data",
        "--rows",
        10,
        "--shape",
        "narrow",
        "--catalog",
        "http://127.0.0.1:9",
        "--as",
        "iceberg",
    )

    assert result.exit_code == 3
    assert result.output.startswith("lakepact data: the catalog at http://127.0.0.1:9: ")
    assert result.output.count("\n") == 1


def test_table_that_lakepact_did_not_write_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with cli._serve(tmp_path / "other") as url:
        catalog = load_catalog("own", type="rest", uri=url)
        catalog.create_namespace("lp_data")
        before = catalog.create_table("lp_data.narrow", schema=pa.schema([("mine", pa.string())]))
        command = ("--shape", "types", "--shape", "narrow", "--as", "iceberg", "--catalog", url)
        result = lakepact("write", tmp_path / "data", *command)

        assert (result.exit_code, result.stderr.count("\n")) == (3, 1)
        assert (
            "the table lp_data.narrow was expected to be absent or written by lakepact, but has no property lakepact.written"
            in result.stderr
        )
        assert catalog.list_tables("lp_data") == [("lp_data", "narrow")]
        assert catalog.load_table("lp_data.narrow").metadata == before.metadata


def test_tables_that_lakepact_wrote_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with cli._serve(tmp_path / "other") as url:
        for rows in (30, 40):
            command = (
                "write",
                tmp_path / f"data{rows}",
                "--rows",
                rows,
                "--shape",
                "narrow",
                "--as",
                "iceberg",
                "--catalog",
                url,
            )
            assert lakepact(*command).exit_code == 0

        assert lakepact("verify", tmp_path / "data40", "--catalog", url).exit_code == 0


@pytest.mark.nightly
def test_tables_of_all_shapes_verify(tmp_path: Path) -> None:
    assert lakepact("write", tmp_path / "data", "--rows", 60, "--files", 2).exit_code == 0

    assert differing(tmp_path / "data") == (0, set())


def test_shape_without_delta_tables_exits_with_2_as_delta(tmp_path: Path) -> None:
    result = lakepact(
        "write", tmp_path / "data", "--rows", 10, "--shape", "position_deletes", "--as", "delta"
    )

    assert (result.exit_code, "add --as iceberg" in result.output) == (2, True)


def test_shape_without_delta_tables_is_written_as_iceberg_alone(tmp_path: Path) -> None:
    assert (
        lakepact("write", tmp_path / "data", "--rows", 10, "--shape", "position_deletes").exit_code
        == 0
    )

    assert differing(tmp_path / "data") == (0, set())


def test_unset_token_variable_exits_with_2(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAKEPACT_NO_TOKEN", raising=False)

    result = lakepact("verify", folder, "--token-env", "LAKEPACT_NO_TOKEN")
    assert (result.exit_code, "LAKEPACT_NO_TOKEN is empty or not set" in result.output) == (2, True)


def test_share_token_is_readable_only_by_its_owner(folder: Path) -> None:
    assert (folder / "delta" / "shares.yaml").stat().st_mode & 0o077 == 0


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # those of pyspark
def test_spark_writes_the_same_tables(tmp_path: Path) -> None:
    options = [word for shape in SHAPES for word in ("--shape", shape)]
    by_spark, plain = tmp_path / "spark", tmp_path / "plain"
    for folder, engine in ((by_spark, ["--engine", "spark", "--master", "local[2]"]), (plain, [])):
        result = lakepact("write", folder, "--rows", 2000, *options, *engine)
        assert result.exit_code == 0, result.output

    assert differing(by_spark) == (0, set())
    assert [table.versions for table in truth.read(by_spark).tables] == [
        table.versions for table in truth.read(plain).tables
    ]
