"""The fixture pack: deltalake reads the documented rows in every table at every version."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import deltalake
import pyarrow as pa
import pytest
import yaml
from click.testing import CliRunner

from lakepact.cli import main
from lakepact.conformance.checks.delta_sharing.lines.delta_replay import replay
from lakepact.conformance.evidence.outcome import NotOffered, Unmet
from lakepact.conformance.fixtures import deletion_vectors, manifest, pack
from lakepact.conformance.fixtures.fixture import FIXTURES
from lakepact.conformance.fixtures.manifest import Manifest
from lakepact.conformance.rows import changes, comparison, data_files, lines

from . import delta_lines

#: Tables with versions that cannot be rebuilt from commits alone.
CHECKPOINTED = {name for name in FIXTURES if name.startswith("checkpoint_")}
PLAIN = [
    name
    for name, table_of_pack in FIXTURES.items()
    if not table_of_pack.features and name not in CHECKPOINTED
]
READABLE = [
    name for name, table_of_pack in FIXTURES.items() if "typeWidening" not in table_of_pack.features
]  #: by deltalake
UNREADABLE_CHANGES = {
    "changes_partitioned",  # deltalake escapes the paths of its files twice
    "changes_vectors_gone",  # deltalake does not read the vectors of removed files
}
NEEDING_DELTA_FORMAT = {
    "changes_vectors_gone"
}  #: tables with changes that parquet format cannot express: it has no vectors


@pytest.fixture(scope="session")
def fixture_pack(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    return pack.write(tmp_path_factory.mktemp("pack"))


@pytest.mark.parametrize("name", READABLE)
def test_deltalake_reads_the_documented_rows_of_every_version(
    fixture_pack: Manifest, name: str
) -> None:
    table = fixture_pack.tables[name]
    for version in table.readable:
        reader = deltalake.DeltaTable(table.location, version=version.version)
        rows = pa.table(
            deltalake.QueryBuilder().register("t", reader).execute("select * from t").read_all()
        )
        comparison.same(
            version.rows.to_pylist(), rows.to_pylist(), f"{name} at version {version.version}"
        )


@pytest.mark.parametrize(
    "name",
    [
        n
        for n, table_of_pack in FIXTURES.items()
        if table_of_pack.changes is not None and n not in UNREADABLE_CHANGES
    ],
)
def test_deltalake_reads_the_documented_changes(fixture_pack: Manifest, name: str) -> None:
    table = fixture_pack.tables[name]
    first, last = table.first_change, table.last.version
    actual = pa.table(deltalake.DeltaTable(table.location).load_cdf(first, last).read_all())
    marks = {"_commit_version", "_change_type"}
    columns = [c for c in actual.column_names if c in marks or not c.startswith("_commit")]
    expected = table.changes(first, last).select(columns)
    comparison.same(expected.to_pylist(), actual.select(columns).to_pylist(), name)


@pytest.mark.parametrize("delta", [False, True], ids=["parquet", "delta"])
@pytest.mark.parametrize("name", PLAIN)
def test_reader_reads_the_documented_rows_in_either_format(
    fixture_pack: Manifest, name: str, *, delta: bool
) -> None:
    table = fixture_pack.tables[name]
    for version in table.versions[-3:]:
        answer = lines.parse(delta_lines.snapshot(table.location, version.version, delta=delta))
        files = answer.files if len(answer.files) < 50 else answer.files[:50]
        rows = data_files.rows(answer, delta_lines.fetch, files)
        (
            comparison.same
            if files == answer.files
            else lambda a, b, what: comparison.includes(b, a, what)
        )(version.rows.to_pylist(), rows, f"{name} at {version.version}")


@pytest.mark.parametrize(
    "name", [n for n, table_of_pack in FIXTURES.items() if table_of_pack.features]
)
def test_reader_applies_deletion_vectors_and_column_mapping(
    fixture_pack: Manifest, name: str
) -> None:
    table = fixture_pack.tables[name]
    for version in table.versions:
        answer = lines.parse(delta_lines.snapshot(table.location, version.version, delta=True))
        comparison.same(
            version.rows.to_pylist(),
            data_files.rows(answer, delta_lines.fetch),
            f"{name} at {version.version}",
        )


@pytest.mark.parametrize(
    ("name", "delta"),
    [
        (n, d)
        for n, table_of_pack in FIXTURES.items()
        if table_of_pack.changes is not None
        for d in (False, True)
        if d or n not in NEEDING_DELTA_FORMAT
    ],
)
def test_reader_reads_the_documented_changes_in_either_format(
    fixture_pack: Manifest, name: str, *, delta: bool
) -> None:
    table = fixture_pack.tables[name]
    first, last = table.first_change or 0, table.last.version
    times = {version.version: version.timestamp for version in table.versions}
    answer = lines.parse(delta_lines.changes(table.location, first, last, delta=delta, times=times))
    comparison.same(
        table.changes(first, last).to_pylist(), changes.rows(answer, delta_lines.fetch), name
    )


def test_missing_and_additional_rows_are_named() -> None:
    with pytest.raises(Unmet, match=r"2 rows, 1 row missing, like id=1; 1 row too many, like id=3"):
        comparison.same([{"id": 1}, {"id": 2}], [{"id": 2}, {"id": 3}], "rows")


def test_duplicate_rows_are_counted() -> None:
    with pytest.raises(Unmet, match="1 row missing"):
        comparison.includes([{"id": 1}, {"id": 1}], [{"id": 1}, {"id": 2}], "rows")


def test_deletion_vector_with_a_wrong_cardinality_is_unmet(fixture_pack: Manifest) -> None:
    answer = lines.parse(
        delta_lines.snapshot(fixture_pack.tables["deletion_vectors"].location, 3, delta=True)
    )
    file = next(f for f in answer.files if f.vector)
    with pytest.raises(Unmet, match="cardinality"):
        data_files.rows_of(answer, _with_vector(file, cardinality=99), delta_lines.fetch)


def _with_vector(file: lines.SharedFile, **other: object) -> lines.SharedFile:
    values = {name: getattr(file, name) for name in file.__dataclass_fields__}
    return lines.SharedFile(**values | {"vector": {**(file.vector or {}), **other}})


def test_commit_times_equal_file_times(fixture_pack: Manifest) -> None:
    for name in set(FIXTURES) - {"times_in_commit", "times_equal", "times_decreasing"}:
        table = fixture_pack.tables[name]
        for version in table.versions:
            commit = table.location / "_delta_log" / f"{version.version:020d}.json"
            if commit.exists():
                assert commit.stat().st_mtime_ns == version.timestamp * 1_000_000


def test_two_packs_differ_only_in_file_names(fixture_pack: Manifest, tmp_path: Path) -> None:
    other = pack.write(tmp_path / "other")
    assert _without_paths(fixture_pack.folder) == _without_paths(other.folder)
    assert (fixture_pack.folder / "shares.yaml").read_bytes() == (
        other.folder / "shares.yaml"
    ).read_bytes()


def _without_paths(folder: Path) -> object:
    document = json.loads((folder / manifest.MANIFEST).read_bytes())
    for table in document["tables"].values():
        for version in table["versions"]:
            version["schema"] = None
            version["files"] = sorted(
                (json.dumps(f["partition_values"], sort_keys=True), f["rows"] or 0)
                for f in version["files"]
            )
    return document


def test_pack_is_smaller_than_10_mib(fixture_pack: Manifest) -> None:
    sizes = {
        path.stat().st_ino: path.stat().st_size
        for path in fixture_pack.folder.rglob("*")
        if path.is_file()
    }
    assert sum(sizes.values()) < 10 * 2**20


def test_pack_has_the_shares_that_listing_checks_need(fixture_pack: Manifest) -> None:
    shares = yaml.safe_load((fixture_pack.folder / manifest.SHARES).read_text(encoding="utf-8"))[
        "shares"
    ]
    schemas = [len(share["schemas"]) for share in shares]
    tables = [len(schema["tables"]) for share in shares for schema in share["schemas"]]
    names = [
        n["name"]
        for share in shares
        for schema in share["schemas"]
        for n in (schema, *schema["tables"])
    ]
    assert len(shares) >= 3
    assert min(schemas) == 0
    assert max(schemas) >= 7
    assert min(tables) == 0
    assert max(tables) >= 7
    assert max(map(len, names)) == 255
    assert any("." in share["name"] for share in shares)
    assert set("+&%?#~é") <= set("".join(names))
    assert not any("." in name for name in names)
    assert [share["name"] for share in shares if "id" not in share] == ["unnumbered"]


def test_pack_for_the_official_server_has_only_what_that_server_has(tmp_path: Path) -> None:
    """It has one token, no temporary credentials, no directory access, and fails at tables without
    id.
    """
    folder = tmp_path / "pack"

    result = CliRunner().invoke(
        main, ["fixtures", "delta", str(folder), "--location", "s3a://bucket/pack/"]
    )

    assert result.exit_code == 0, result.output
    shares = yaml.safe_load((folder / "shares.yaml").read_text("utf-8"))
    tables = [t for s in shares["shares"] for schema in s["schemas"] for t in schema["tables"]]
    assert shares.keys() == {"version", "shares", "authorization"}
    assert all(table["location"].startswith("s3a://bucket/pack/") for table in tables)
    assert all("id" in table and "accessModes" not in table for table in tables)
    fixture_pack = manifest.read(folder)
    assert shares["authorization"]["bearerToken"] == fixture_pack.tokens["all"]
    assert fixture_pack.tokens.keys() == {"all"}
    assert [s["name"] for s in fixture_pack.shares] == [s["name"] for s in shares["shares"]]


def test_copied_pack_knows_no_commit_times(tmp_path: Path) -> None:
    fixture_pack = pack.write(tmp_path / "pack", location="s3a://bucket/pack")

    table = fixture_pack.tables["changes"]
    assert "_commit_timestamp" not in table.changes(0, 8).column_names
    with pytest.raises(NotOffered, match="times of commits"):
        _ = table.last.timestamp


def test_write_into_a_nonempty_folder_exits_with_2(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    result = CliRunner().invoke(main, ["fixtures", "delta", str(tmp_path)])
    assert result.exit_code == 2
    assert "is not empty" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_unwritable_folder_exits_with_2(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = CliRunner().invoke(main, ["fixtures", "delta", str(tmp_path / "file" / "pack")])
    assert result.exit_code == 2
    assert (
        f"lakepact fixtures: {tmp_path}/file/pack cannot be written: Not a directory"
        in result.output
    )


def test_folder_without_a_pack_raises_no_pack(tmp_path: Path) -> None:
    with pytest.raises(manifest.NoPack, match="lakepact fixtures delta"):
        manifest.read(tmp_path)


@pytest.mark.parametrize(
    ("vector", "problem"),
    [
        (deletion_vectors.inline([2**40]), "row 1099511627776"),
        ({"storageType": "u", "pathOrInlineDv": "../../ab^-aqEH.-t@S}K{vb[*k^"}, "storageType"),
    ],
    ids=["a row behind the end", "a path"],
)
def test_replay_of_a_hostile_deletion_vector_is_unmet(
    fixture_pack: Manifest, tmp_path: Path, vector: dict[str, Any], problem: str
) -> None:
    answer = lines.parse(
        delta_lines.snapshot(fixture_pack.tables["deletion_vectors"].location, 3, delta=True)
    )
    files = tuple(_with_vector(file, **vector) for file in answer.files)

    with pytest.raises(Unmet, match=problem):
        replay(replace(answer, files=files), delta_lines.fetch, tmp_path)
