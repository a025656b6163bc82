"""An interrupted run resumes to the result of an undisturbed run, and sends no finished case
twice.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from campaigns import PATIENCE, Counting, Here, command, exchanges, said, told
from lakepact.conformance.campaign import documents, plans, runs, tables
from lakepact.conformance.campaign.errors import Refused
from lakepact.conformance.campaign.targets import parse_targets
from lakepact.reference_server.running import running as serving
from miniatures import miniature

PLAIN = ("--engine", "local", "--workers", "2")
ON_TWO = ("--master", "local[2]")
ENOUGH = 30  #: answered cases after which a run is ended


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign") / "plan"
    plans.plan("iceberg_rest", folder, seeds=range(1), modes=("example", "reading", "sequence"))
    return folder


def answer_count(run: Path) -> int:
    """Return how many answered cases the journals of a run hold."""
    return sum(log.read_bytes().count(b'{"in"') for log in run.glob("journal/*.jsonl"))


def end_of_run(words: list[str], run: Path, how: signal.Signals) -> int:
    """Start a run, end it with a signal, and return its exit code."""
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
        began = time.monotonic()
        while process.poll() is None and answer_count(run) < ENOUGH:
            assert time.monotonic() < began + PATIENCE
            time.sleep(0.02)
        process.send_signal(how)
        return process.wait(PATIENCE)


@pytest.mark.parametrize(
    "engine",
    [
        pytest.param(PLAIN, marks=pytest.mark.nightly),
        pytest.param(ON_TWO, marks=pytest.mark.spark),
    ],
    ids=["plain", "spark"],
)
def test_killed_run_resumes_to_the_same_result(
    engine: tuple[str, ...], plan: Path, tmp_path: Path
) -> None:
    run, whole = tmp_path / "run", tmp_path / "whole"
    with serving(warehouse="memory:") as server:
        told("run", "--plan", str(plan), "--target", f"a={server.url}", "--out", str(whole), *PLAIN)
    with serving(warehouse="memory:") as server:
        counting = Counting(server.url)
        with contextlib.closing(counting), miniature(counting) as url:
            end_of_run(
                command(
                    "run", "--plan", str(plan), "--target", f"a={url}", "--out", str(run), *engine
                ),
                run,
                signal.SIGKILL,
            )
            told("run", "--out", str(run), "--resume", *engine)
    first = documents.read(run / "run.json")["starts"][0]["word"]
    of_first = {row["number"] for row in exchanges(run) if row["word"].startswith(first)}
    later = {int(number) for word, number in counting.seen if not word.startswith(first.encode())}

    assert ENOUGH <= len(of_first) < tables.read(run / "cases", tables.CASES).num_rows
    assert set() == of_first & later
    assert tables.read(run / "interruptions", tables.INTERRUPTIONS).num_rows <= 2
    assert said(whole, Here()) == said(run, Here())
    assert documents.read(run / "run.json")["status"] == "complete"


def executors(driver: int) -> list[int]:
    """Return the processes of the executors that a driver has started."""
    parents, processes = {driver}, []
    for _ in range(2):  # the Java of the driver starts them
        stats = {
            int(path.parent.name): path.read_text().rpartition(")")[2].split()
            for path in Path("/proc").glob("[0-9]*/stat")
        }
        parents = {process for process, fields in stats.items() if int(fields[1]) in parents}
        processes = [
            process
            for process in parents
            if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{process}/cmdline").read_bytes()
        ]
    return processes


@pytest.mark.spark
def test_run_that_loses_an_executor_is_complete_without_repeated_cases(
    plan: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
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
                "--master",
                "local-cluster[2,1,1024]",
            )
            with subprocess.Popen(
                command("run", *words), stderr=subprocess.PIPE, text=True
            ) as process:
                while process.poll() is None and answer_count(run) < ENOUGH:
                    time.sleep(0.02)
                os.kill(executors(process.pid)[0], signal.SIGKILL)
                _, errors = process.communicate(timeout=PATIENCE)
    cases = tables.read(run / "cases", tables.CASES).column("case_id").to_pylist()
    case_ids = [row["case_id"] for row in exchanges(run) if row["step"] == 0]
    doubts = tables.read(run / "interruptions", tables.INTERRUPTIONS).column("case_id").to_pylist()
    repetitions = [
        number
        for number, times in Counter(number for _, number in set(counting.seen)).items()
        if times > 1
    ]

    assert process.returncode == 0, errors
    assert sorted(case_ids) == sorted(cases)
    assert len(repetitions) <= len(doubts) <= 1


@pytest.mark.spark
@pytest.mark.parametrize("engine", [PLAIN, ON_TWO], ids=["plain", "spark"])
def test_interrupted_run_finishes_its_cases_and_exits_with_3(
    engine: tuple[str, ...], plan: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    with serving(warehouse="memory:") as server:
        words = command(
            "run", "--plan", str(plan), "--target", f"a={server.url}", "--out", str(run), *engine
        )
        code = end_of_run(words, run, signal.SIGINT)

    assert code == 3
    assert len({row["case_id"] for row in exchanges(run)}) >= ENOUGH
    assert tables.read(run / "interruptions", tables.INTERRUPTIONS).num_rows == 0
    assert documents.read(run / "run.json")["status"] == "incomplete"


def test_closed_run_finishes_its_cases_and_is_incomplete(plan: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with serving(warehouse="memory:") as server:
        runs.prepare(plan, run, parse_targets([f"a={server.url}"], ["iceberg_rest"]))
        steps = runs.send_remaining(run, Here(), every=0.01)
        next(step for step in steps if answer_count(run) > 0)
        steps.close()  # type: ignore[attr-defined]
        cases = {row["case_id"] for row in exchanges(run)}

    assert 0 < len(cases) < tables.read(run / "cases", tables.CASES).num_rows
    assert tables.read(run / "interruptions", tables.INTERRUPTIONS).num_rows == 0
    assert documents.read(run / "run.json")["status"] == "incomplete"


@contextlib.contextmanager
def file_size_limit(most: int) -> Iterator[None]:
    """Limit the size of the files that this process writes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_run_on_a_full_disk_keeps_gathered_cases_and_resumes(plan: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with serving(warehouse="memory:") as server:
        runs.prepare(plan, run, parse_targets([f"a={server.url}"], ["iceberg_rest"]))
        with file_size_limit(60_000), pytest.raises(Refused, match="make room for"):
            list(runs.send_remaining(run, Here()))
        cases = len({row["case_id"] for row in exchanges(run)})
        list(runs.send_remaining(run, Here()))

    assert 0 < cases < tables.read(run / "cases", tables.CASES).num_rows
    assert documents.read(run / "run.json")["status"] == "complete"
