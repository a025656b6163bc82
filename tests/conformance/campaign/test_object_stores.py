"""A run in an object store keeps what is stored there, whichever process ends, and every case is in
it once.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from campaigns import OPERATIONS, PATIENCE, Counting, Here, command, exchanges
from lakepact.conformance.campaign import documents, plans, run_verdicts, runs, tables
from lakepact.conformance.campaign.cli import campaign
from lakepact.conformance.campaign.execution import journal, logs
from lakepact.conformance.campaign.execution.logs import ObjectLog
from lakepact.conformance.campaign.paths import locate
from lakepact.reference_server.running import running as serving
from miniatures import miniature

upath = pytest.importorskip("upath")
KEYS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "s3cret-key",
    "AWS_DEFAULT_REGION": "us-east-1",
}


@pytest.fixture
def run() -> Iterator[Any]:
    """Return a folder in the memory of this process, which can do what an object store can."""
    folder = upath.UPath("memory://runs/run")
    yield folder
    folder.fs.store.clear()


@pytest.fixture
def worker(run: Any, monkeypatch: pytest.MonkeyPatch) -> ObjectLog:
    monkeypatch.setattr(logs, "OFTEN", 0.0)
    journal.begin(run, "start")
    return ObjectLog(run, "w-0.0")


def row(case_id: str) -> dict[str, Any]:
    return {
        **dict.fromkeys(tables.EXCHANGES.names),
        "target": "a",
        "case_id": case_id,
        "step": 0,
        "number": 0,
    }


def stored(run: Any) -> list[str]:
    return [one["case_id"] for one in exchanges(run)]


def test_worker_merges_full_chunks_and_what_is_left(
    worker: ObjectLog, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "TOGETHER", 2)
    for case_id in ("one", "two", "three"):
        worker.lands([row(case_id)])
    before = [part.name for part in tables.parts(run / "exchanges")]
    worker.close()

    assert before == ["w-0.0-000000-000001.parquet", "w-0.0-000002.parquet"]
    assert [part.name[5:] for part in tables.parts(run / "exchanges")] == [
        "-000000-000001.parquet",
        "-000002-000002.parquet",
    ]
    assert stored(run) == ["one", "two", "three"]


def test_batches_beside_their_merged_file_are_read_once(
    worker: ObjectLog, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker.lands([row("one")])
    worker.lands([row("two")])
    monkeypatch.setattr(run.fs, "rm", lambda *_, **__: None)  # as if the worker was killed here
    worker.close()

    assert stored(run) == ["one", "two"]


def test_worker_taken_for_lost_stores_no_more_rows(worker: ObjectLog, run: Any) -> None:
    worker.lands([row("one")])
    went_on = worker.goes_on("start")
    logs.gather(run, "run")
    worker.lands([row("two")])

    assert (went_on, worker.goes_on("start")) == (True, False)
    worker.close()
    assert stored(run) == ["one"]


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """Return the address of an S3-compatible store with a bucket, which the environment names with
    its keys.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url, words = (
        f"http://127.0.0.1:{port}",
        (sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)),
    )
    with (
        subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as moto,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name, value in {**KEYS, "AWS_ENDPOINT_URL": url}.items():
            patch.setenv(name, value)
        try:
            with httpx.Client(
                transport=httpx.HTTPTransport(retries=10), timeout=PATIENCE
            ) as client:  # until it listens
                client.put(f"{url}/runs").raise_for_status()
            yield "s3://runs"
        finally:
            moto.terminate()


def workers_of(driver: int) -> list[int]:
    folders = [
        path.parent
        for path in Path("/proc").glob("[0-9]*/stat")
        if int(path.read_text().rpartition(")")[2].split()[1]) == driver
    ]
    return [int(path.name) for path in folders if b"spawn_main" in (path / "cmdline").read_bytes()]


@pytest.mark.nightly  # by day a run on local files is killed
def test_run_that_loses_a_worker_resumes_with_every_case_once(store: str) -> None:
    plan, run = locate(f"{store}/plan"), locate(f"{store}/run")
    plans.plan("iceberg_rest", plan, seeds=range(1), modes=("example",), only=OPERATIONS)
    with serving(warehouse="memory:") as server:
        counting = Counting(server.url)
        with contextlib.closing(counting), miniature(counting) as url:
            words = (
                "--plan",
                str(plan),
                "--target",
                f"a={url}",
                "--out",
                str(run),
                "--engine",
                "local",
                "--workers",
                "2",
                "--rps",
                "5",
            )
            with subprocess.Popen(
                command("run", *words), stderr=subprocess.PIPE, text=True
            ) as process:
                while process.poll() is None and not tables.parts(run / "exchanges"):
                    time.sleep(0.5)
                os.kill(workers_of(process.pid)[0], signal.SIGKILL)
                _, errors = process.communicate(timeout=PATIENCE)
            pairs = {(one["case_id"], one["number"]) for one in exchanges(run)}
            list(runs.send_remaining(run, Here()))
    run_verdicts.judge(run, Here())
    result = CliRunner().invoke(campaign, ["report", "--run", str(run), "--engine", "local"])
    first = documents.read(run / "run.json")["starts"][0]["word"]
    later = {int(number) for word, number in counting.seen if not word.startswith(first.encode())}
    cases = tables.read(plan / "cases", tables.CASES).column("case_id").to_pylist()

    assert (process.returncode, errors.splitlines()[-1].partition(". ")[0]) == (
        3,
        "lakepact campaign run: a worker was ended from outside",
    )
    assert 0 < len(pairs) < len(cases)
    assert set() == {number for _, number in pairs} & later
    assert Counter(stored(run)) == Counter(cases)
    assert documents.read(run / "run.json")["status"] == "complete"
    assert result.exit_code == 0, result.output
    assert [
        path for path in run.rglob("*") if path.is_file() and b"s3cret-key" in path.read_bytes()
    ] == []


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("address", "key", "reason"),
    [("s3://none/run", "a", "no bucket none"), ("s3://runs/run", "", "locate credentials")],
)
def test_unreachable_store_is_one_sentence(
    address: str, key: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**dict.fromkeys(KEYS, key), "AWS_EC2_METADATA_DISABLED": "true"}.items():
        monkeypatch.setenv(name, value)
    pytest.importorskip("s3fs").S3FileSystem.clear_instance_cache()
    result = CliRunner().invoke(campaign, ["judge", "--run", address, "--engine", "local"])

    assert result.exit_code == 2
    assert re.search(
        f"^Error: Invalid value for '--run': .*{reason}", result.output.splitlines()[-1]
    )
