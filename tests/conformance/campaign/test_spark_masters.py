"""Every kind of Spark draws the same cases, gives the same verdicts as the local engine and keeps
secrets.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from campaigns import PATIENCE, Here, command, exchanges, kept, ran, repeats_the_secret, said
from lakepact.conformance.campaign import plans, tables
from lakepact.reference_server.running import running as serving
from miniatures import miniature
from spark_clusters import ALONE, HAS_CONNECT, connect, standalone

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.spark

#: Plans of few cases. One check sends concurrent requests and must run alone.
DRAWN: dict[str, dict[str, Any]] = {
    "requests": {
        "seeds": [0],
        "modes": ["example", "valid", "near", "sequence"],
        "only": ["updateProperties"],
    },
    "checks": {"seeds": [0], "modes": ["check"], "only": ["namespaces.drop.[cn]*"]},
}
CHECK_ALONE = "namespaces.drop.concurrent_drops_leave_no_orphaned_table"
#: Draws and runs all plans in one Spark session, because a session takes long to start.
IN_ONE_SESSION = """
import json, sys
from pathlib import Path
from lakepact.conformance.campaign import plans, run_verdicts, runs
from lakepact.conformance.campaign.engine_options import Choice
from lakepact.conformance.campaign.targets import parse_targets

folder, url, drawn, choice = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4])
with Choice(**choice).made() as engine:
    for name, what in drawn.items():
        plans.plan("iceberg_rest", folder / name / "plan", **what, draw=engine.draw)
        runs.prepare(folder / name / "plan", folder / name / "run", parse_targets([f"a={url}"], ["iceberg_rest"]))
        for landed in runs.send_remaining(folder / name / "run", engine):
            pass
        run_verdicts.judge(Path("..") / name / "run", engine)
        print(name, landed.total - landed.stored, "missing,", engine.workers, "workers")
"""
KINDS = ("local[2]", "local-cluster[2,1,1024]", "standalone", "connect")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return plans and runs that this process made."""
    folder = tmp_path_factory.mktemp("plain")
    with serving(warehouse="memory:") as server:
        for name, what in DRAWN.items():
            plans.plan("iceberg_rest", folder / name / "plan", **what)
            ran(folder / name / "plan", folder / name / "run", Here(), f"a={server.url}")
    return folder


@contextlib.contextmanager
def spark(kind: str, folder: Path, *confs: str) -> Iterator[dict[str, Any]]:
    """Start a kind of Spark and yield the options that choose it."""
    if kind == "connect" and not HAS_CONNECT:
        pytest.skip("Spark Connect needs lakepact[spark-connect]")
    if kind == "standalone":
        with standalone(folder) as master:
            yield {"master": master, "conf": [word for word in ALONE if word != "--conf"]}
    elif kind == "connect":
        with connect(folder, *confs) as remote:
            yield {"remote": remote}
    else:
        yield {"master": kind}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_spark_gives_the_same_cases_and_verdicts(
    kind: str, plain: Path, tmp_path: Path
) -> None:
    with spark(kind, tmp_path) as choice, serving(warehouse="memory:") as server:
        words = (
            str(tmp_path),
            server.url,
            json.dumps(DRAWN),
            json.dumps({"engine": "spark", **choice}),
        )
        (tmp_path / "elsewhere").mkdir()
        line = [sys.executable, "-c", IN_ONE_SESSION, *words]
        process = subprocess.run(
            line,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
            cwd=tmp_path / "elsewhere",
        )
    assert process.stdout == "requests 0 missing, 2 workers\nchecks 0 missing, 2 workers\n", (
        process.stderr
    )
    cases = [[cases_of(folder / name / "plan") for name in DRAWN] for folder in (plain, tmp_path)]
    requests = [said(plain / "requests" / "run", Here()), kept(tmp_path / "requests" / "run")]

    assert cases[0] == cases[1]
    assert requests[0] == requests[1]
    assert of_checks(plain / "checks" / "run") == of_checks(tmp_path / "checks" / "run")
    assert alone_and_overlapping(tmp_path / "checks" / "run") == ([CHECK_ALONE], [])


def cases_of(plan: Path) -> list[dict[str, Any]]:
    """Return the cases of a plan in the order of their numbers."""
    rows: list[dict[str, Any]] = (
        tables.read(plan / "cases", tables.CASES).sort_by("number").to_pylist()
    )
    return rows


def of_checks(run: Path) -> set[tuple[str, str, str]]:
    """Return the verdicts of checks, without their exchanges: concurrent requests have no fixed
    order.
    """
    return {
        (row["case_id"], row["requirement_id"], row["verdict"])
        for row in said(run, Here())["results"]
    }


def alone_and_overlapping(run: Path) -> tuple[list[str], list[str]]:
    """Return the checks that must run alone, and the cases that ran at the same time."""
    alone = {
        row["case_id"]: row["request"]
        for row in tables.read(run / "cases", tables.CASES).to_pylist()
        if row["alone"]
    }
    times: dict[str, tuple[datetime, datetime]] = {}
    for row in exchanges(run):
        over = row["started_at"] + timedelta(microseconds=row["latency_us"])
        times[row["case_id"]] = (
            row["started_at"],
            max(over, times.get(row["case_id"], (over, over))[1]),
        )
    overlapping = [
        other
        for case in alone
        for other, (began, over) in times.items()
        if other != case and began < times[case][1] and over > times[case][0]
    ]
    return list(alone.values()), overlapping


def test_run_on_spark_writes_no_secret_to_files_or_output(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THEIR_TOKEN", "s3cret-word")
    (tmp_path / "events").mkdir()
    events = (
        "--conf",
        "spark.eventLog.enabled=true",
        "--conf",
        f"spark.eventLog.dir=file://{tmp_path / 'events'}",
    )
    with miniature(repeats_the_secret) as url:
        (tmp_path / "t.toml").write_text(
            f'url = "{url}"\ntoken_env = "THEIR_TOKEN"\n', encoding="utf-8"
        )
        words = (
            "run",
            "--plan",
            str(plain / "requests" / "plan"),
            "--target",
            f"a={tmp_path / 't.toml'}",
            "--out",
            str(tmp_path / "run"),
            "--report",
        )
        where = (
            "--master",
            "local[2]",
            "--conf",
            "spark.log.level=INFO",
            "--conf",
            "spark.eventLog.compress=false",
            *events,
        )
        process = subprocess.run(
            command(*words, *where), capture_output=True, text=True, check=False
        )
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    rows_text = repr(exchanges(tmp_path / "run"))

    assert process.returncode == 0, process.stderr
    assert [path for path in files if path.is_relative_to(tmp_path / "events")] != []
    assert [str(path) for path, content in files.items() if b"s3cret" in content] == []
    assert (
        "s3cret" not in rows_text + repr(kept(tmp_path / "run")) + process.stdout + process.stderr
    )
    assert sorted(path.name for path in (tmp_path / "run").glob("report.*")) == [
        "report.html",
        "report.md",
    ]
    assert "<sent-by-us>" in rows_text


def test_workers_without_a_package_exit_with_3_and_advice(plain: Path, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True
    )
    words = (
        "run",
        "--plan",
        str(plain / "requests" / "plan"),
        "--out",
        str(tmp_path / "run"),
        "--master",
        "local[2]",
    )
    with serving(warehouse="memory:") as server:
        process = subprocess.run(
            command(*words, "--target", f"a={server.url}"),
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYSPARK_PYTHON": str(tmp_path / "bare" / "bin" / "python")},
        )

    assert process.returncode == 3
    assert re.match(
        r"lakepact campaign run: workers of Spark lack a package: there, pip install",
        process.stderr.splitlines()[-1],
    )
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize("kind", ["local[2]", "connect"])
def test_spark_that_speculates_is_refused(kind: str, tmp_path: Path) -> None:
    setting = "spark.speculation=true"
    with spark(kind, tmp_path, setting) as choice:
        words = (
            ["--remote", choice["remote"]]
            if "remote" in choice
            else ["--master", kind, "--conf", setting]
        )
        process = subprocess.run(
            command("plan", "--engine", "spark", "--out", str(tmp_path / "plan"), *words),
            capture_output=True,
            text=True,
            check=False,
        )

    assert (
        process.returncode,
        "has spark.speculation=true" in process.stderr.splitlines()[-1],
    ) == (
        3,
        True,
    ), process.stderr


def test_unreachable_master_exits_with_3_and_is_named(plain: Path, tmp_path: Path) -> None:
    where = ("--master", "spark://127.0.0.1:9", *ALONE, "--conf", "spark.cores.max=1")
    with serving(warehouse="memory:") as server:
        words = (
            "run",
            "--plan",
            str(plain / "requests" / "plan"),
            "--target",
            f"a={server.url}",
            "--out",
            str(tmp_path / "run"),
            *where,
        )
        process = subprocess.run(
            command(*words), capture_output=True, text=True, check=False, timeout=PATIENCE
        )

    assert process.returncode == 3
    assert process.stderr.splitlines()[-1].startswith(
        "lakepact campaign run: Spark did not start with --master spark://127.0.0.1:9"
    )
