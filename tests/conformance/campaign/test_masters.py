"""The same plan on every kind of Spark: the same cases, the same verdicts as in plain processes, and nothing secret anywhere."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from campaigns import PATIENCE, Here, command, exchanges, said, told
from lakepact.conformance.campaign import tables
from lakepact.reference_server.running import running as serving
from miniatures import answer, miniature
from spark_clusters import ALONE, HAS_CONNECT, connect, standalone

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.spark

PLAIN = ("--engine", "plain", "--lanes", "2")
DRAWN = (
    *("--seeds", "0:2", "--modes", "example,valid,wild,near,sequence,check"),
    *("--only", "updateProperties", "--only", "namespaces_drop.*", "--only", "createNamespace"),
)
KINDS = ("local[2]", "local-cluster[2,1,1024]", "standalone", "connect")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan and a run of it in plain processes."""
    folder = tmp_path_factory.mktemp("plain")
    told("plan", *DRAWN, "--out", str(folder / "plan"), *PLAIN)
    with serving(warehouse="memory:") as server:
        told("run", "--plan", str(folder / "plan"), "--target", f"a={server.url}", "--out", str(folder / "run"), *PLAIN)
    return folder


@contextlib.contextmanager
def spark(kind: str, folder: Path) -> Iterator[tuple[str, ...]]:
    """The options of a kind of Spark that is there."""
    if kind == "connect" and not HAS_CONNECT:
        pytest.skip("Spark Connect needs lakepact[spark-connect]")
    if kind == "standalone":
        with standalone(folder) as master:
            yield ("--engine", "spark", "--master", master, *ALONE)
    elif kind == "connect":
        with connect(folder) as remote:
            yield ("--engine", "spark", "--remote", remote)
    else:
        yield ("--engine", "spark", "--master", kind)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_spark_draws_the_same_cases_and_comes_to_the_same_verdicts(kind: str, plain: Path, tmp_path: Path) -> None:
    with spark(kind, tmp_path) as options:
        told("plan", *DRAWN, "--out", str(tmp_path / "plan"), *options)
        with serving(warehouse="memory:") as server:
            told("run", "--plan", str(tmp_path / "plan"), "--target", f"a={server.url}", "--out", str(tmp_path / "run"), *options)
    cases = [tables.read(folder / "plan" / "cases", tables.CASES).to_pylist() for folder in (plain, tmp_path)]

    assert cases[0] == cases[1]
    assert comparable(plain / "run") == comparable(tmp_path / "run")


def comparable(run: Path) -> list[Any]:
    """All that is said of requests and sequences, and what came of each check: some send at once what then comes in any order."""
    found = said(run, Here())
    checks = {(row["case_id"], row["requirement_id"], row["verdict"]) for row in found["results"] if row["mode"] == "check"}
    return [checks, *([row for row in rows if row["mode"] != "check"] for rows in found.values())]


def test_no_secret_is_in_a_frame_a_plan_a_log_or_a_file(plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def repeating(method: str, target: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        if target.startswith("/v1/config"):
            return answer(200, {"defaults": {}, "overrides": {}})
        return answer(404, {"error": {"message": "no such s3cret-word", "type": "NoSuchThing", "code": 404}})

    monkeypatch.setenv("THEIR_TOKEN", "s3cret-word")
    (tmp_path / "events").mkdir()
    events = ("--conf", "spark.eventLog.enabled=true", "--conf", f"spark.eventLog.dir=file://{tmp_path / 'events'}")
    with miniature(repeating) as url:
        (tmp_path / "t.toml").write_text(f'url = "{url}"\ntoken_env = "THEIR_TOKEN"\n', encoding="utf-8")
        words = ("run", "--plan", str(plain / "plan"), "--target", f"a={tmp_path / 't.toml'}", "--out", str(tmp_path / "run"))
        where = ("--master", "local[2]", "--conf", "spark.log.level=INFO", "--conf", "spark.eventLog.compress=false", *events)
        done = subprocess.run(command(*words, *where), capture_output=True, text=True, check=False)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    landed = repr(exchanges(tmp_path / "run"))

    assert done.returncode == 0, done.stderr
    assert [path for path in files if path.is_relative_to(tmp_path / "events")] != []
    assert [str(path) for path, content in files.items() if b"s3cret" in content] == []
    assert "s3cret" not in landed + done.stdout + done.stderr
    assert "<sent-by-us>" in landed


def test_workers_that_lack_a_package_are_one_line_that_says_what_to_do(plain: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    words = ("run", "--plan", str(plain / "plan"), "--out", str(tmp_path / "run"), "--master", "local[2]")
    with serving(warehouse="memory:") as server:
        done = subprocess.run(
            command(*words, "--target", f"a={server.url}"),
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYSPARK_PYTHON": str(tmp_path / "bare" / "bin" / "python")},
        )

    assert done.returncode == 3
    assert re.match(r"lakepact campaign run: workers of Spark lack a package: there, pip install", done.stderr.splitlines()[-1])
    assert "Traceback" not in done.stderr


def test_a_master_that_is_not_there_is_one_line(plain: Path, tmp_path: Path) -> None:
    where = ("--master", "spark://127.0.0.1:9", *ALONE, "--conf", "spark.cores.max=1")
    with serving(warehouse="memory:") as server:
        words = ("run", "--plan", str(plain / "plan"), "--target", f"a={server.url}", "--out", str(tmp_path / "run"), *where)
        done = subprocess.run(command(*words), capture_output=True, text=True, check=False, timeout=PATIENCE)

    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith("lakepact campaign run: Spark did not start with --master spark://127.0.0.1:9")
