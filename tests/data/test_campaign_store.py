"""Landing of campaign runs in an Iceberg catalog and as Delta shares, once per run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyiceberg.catalog import load_catalog

from campaigns import Here, few_cases, ran
from faulty import mutants
from lakepact.client import SharingClient
from lakepact.conformance.campaign import documents, run_verdicts, tables
from lakepact.conformance.campaign.analysis import findings
from lakepact.data import campaigns as landing
from lakepact.data.campaigns import TABLES, delta, iceberg
from lakepact.data.campaigns.cli import campaign
from lakepact.data.catalogs import CatalogAddress
from lakepact.reference_server.running import running as serving

FAULTS = ("creation-is-201",)
TOKEN = "a-token-of-a-test"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return two runs of one plan, judged and analysed."""
    folder = tmp_path_factory.mktemp("landing")
    few_cases(folder / "plan")
    landings = []
    for name, faults in {"first": (), "second": FAULTS}.items():
        with serving(warehouse="memory:", faults=mutants(faults)) as server:
            landings.append(ran(folder / "plan", folder / name, Here(), f"a={server.url}"))
        run_verdicts.judge(folder / name, Here())
        run_verdicts.analyse(folder / name, Here())
    return landings[0], landings[1]


def rows_of(run: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows in the files of a run, each with the id of the run."""
    run_id = documents.read(run / "run.json")["run_id"]
    return alike(
        [{"run_id": run_id, **row} for row in tables.read(run / table, TABLES[table]).to_pylist()]
    )


def alike(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows in a fixed order, with every value as text."""
    return sorted(({k: str(row[k]) for k in sorted(row)} for row in rows), key=str)


def test_tables_of_two_runs_are_read_back_from_the_catalog(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    with serving(warehouse=tmp_path.as_uri()) as server:
        for run in runs:
            list(iceberg.land(landing.run_tables(run), CatalogAddress(server.url)))
        catalog = load_catalog("back", type="rest", uri=server.url)
        contents = {
            name: alike(catalog.load_table(f"lakepact.{name}").scan().to_arrow().to_pylist())
            for name in ("campaigns", "results", "cases")
        }

    assert contents == {
        name: sorted(rows_of(runs[0], name) + rows_of(runs[1], name), key=str) for name in contents
    }


def test_repeated_landing_replaces_only_changed_tables(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    with serving(warehouse=tmp_path.as_uri()) as server:
        for run in runs:
            list(iceberg.land(landing.run_tables(run), CatalogAddress(server.url)))
        again = list(iceberg.land(landing.run_tables(runs[0]), CatalogAddress(server.url)))
        table = load_catalog("back", type="rest", uri=server.url).load_table("lakepact.coverage")
        before = table.scan().to_arrow().num_rows
        tables.write_part(
            tables.read(runs[0] / "coverage", findings.COVERAGE).slice(1),
            runs[0] / "coverage",
            "part-00000",
        )
        second = list(iceberg.land(landing.run_tables(runs[0]), CatalogAddress(server.url)))
        run_verdicts.analyse(runs[0], Here())

        assert [one.table for one in again if one.is_new] == []
        assert [one.table for one in second if one.is_new] == ["coverage"]
        assert before - 1 == table.refresh().scan().to_arrow().num_rows


def test_delta_tables_are_read_by_recipients_of_the_share(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    for run in (*runs, runs[0]):
        list(delta.land(landing.run_tables(run), tmp_path / "landed"))
    shares = delta.share(tmp_path / "landed")
    assert shares is not None
    shares.write_text(
        f"{shares.read_text()}recipients:\n- {{name: partner, bearerToken: {TOKEN}}}\n"
    )
    with serving(warehouse="memory:", shares=shares) as server:
        profile = {
            "shareCredentialsVersion": 1,
            "endpoint": server.address("delta_sharing"),
            "bearerToken": TOKEN,
        }
        with SharingClient(profile) as client:
            names = {table.name for table in client.all_tables("lakepact")}
            contents = {
                name: alike(client.table("lakepact", "campaigns", name).to_arrow().to_pylist())
                for name in ("campaigns", "results")
            }

    assert {name for name in TABLES if name != "interruptions"} == names
    assert contents == {
        name: sorted(rows_of(runs[0], name) + rows_of(runs[1], name), key=str) for name in contents
    }


def test_unreachable_catalog_exits_with_3_and_one_line(runs: tuple[Path, Path]) -> None:
    result = CliRunner().invoke(
        campaign,
        ["land", "--run", str(runs[0]), "--as", "iceberg", "--catalog", "http://127.0.0.1:9"],
    )

    assert (result.exit_code, result.output.count("\n")) == (3, 1)
    assert result.output.startswith(
        "lakepact campaign land: the catalog at http://127.0.0.1:9: Unreachable: "
    )


@pytest.mark.parametrize(
    "words",
    [["--as", "delta"], ["--as", "iceberg"], ["--as", "delta", "--catalog", "http://127.0.0.1:9"]],
)
def test_unusable_landing_options_exit_with_2(words: list[str]) -> None:
    result = CliRunner().invoke(campaign, ["land", "--run", "x", *words])

    assert (
        result.exit_code,
        "--as iceberg --catalog URL, or --as delta --to DIR" in result.output,
    ) == (2, True)


@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_trends_name_the_run_that_broke_a_requirement(
    form: str, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    with serving(warehouse=tmp_path.as_uri()) as server:
        for run in runs:
            list(
                delta.land(landing.run_tables(run), tmp_path / "to")
                if form == "delta"
                else iceberg.land(landing.run_tables(run), CatalogAddress(server.url))
            )
        source = ("--from", str(tmp_path / "to")) if form == "delta" else ("--catalog", server.url)
        result = CliRunner().invoke(
            campaign, ["trends", *source, "--out", str(tmp_path / "trends.html")]
        )

    assert result.exit_code == 0, result.output
    day = f"{documents.read(runs[1] / 'run.json')['created_at'][:16].replace('T', ' ')} (1 run)"
    assert f"a IRC-GEN-009 fail since {day}: no version that is known" in result.output
    assert "IRC-GEN-009" in (tmp_path / "trends.html").read_text()


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ("", 1),
        ("IRC-* a ticket", 0),
        ("a/IRC-* a ticket", 0),
        ("IRC-NS-LIST-* another", 1),
        ("b/IRC-NS-CREATE-001 no such target", 2),
    ],
)
def test_report_fails_on_regressions_that_are_not_known(
    lines: str, code: int, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "known.txt").write_text(lines)
    words = (
        "--run",
        str(runs[1]),
        "--base",
        str(runs[0]),
        "--engine",
        "local",
        "--known",
        str(tmp_path / "known.txt"),
    )
    result = CliRunner().invoke(campaign, ["report", *words, "--fail-on", "regression"])

    assert result.exit_code == code, result.output
    assert (": pass before, fail now" in result.output) == (code == 1)


def test_report_cannot_fail_on_regressions_without_an_earlier_run(runs: tuple[Path, Path]) -> None:
    result = CliRunner().invoke(
        campaign, ["report", "--run", str(runs[1]), "--engine", "local", "--fail-on", "regression"]
    )

    assert (result.exit_code, "name it with --base" in result.output) == (2, True)
