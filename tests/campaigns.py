"""Helpers for tests of campaigns: an engine in this process, small plans, and runs."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import httpx

from lakepact.conformance.campaign import plans, run_verdicts, runs, tables
from lakepact.conformance.campaign.analysis import duckdb_analysis
from lakepact.conformance.campaign.execution.job import Job
from lakepact.conformance.campaign.execution.workers import case_rows, send_cases
from lakepact.conformance.campaign.judging.verdicts import judge_part
from lakepact.conformance.campaign.planning import seeds
from lakepact.conformance.campaign.targets import parse_targets
from miniatures import Answer, answer

#: Members that differ between runs.
FLEETING = frozenset({"run_id"})

PATIENCE = 3600  #: seconds for a verb on a busy machine
NAMES = re.compile(rb"lp_([0-9a-f]{7,}?)r*_(\d+)_")

OPERATIONS = ("*Namespace*", "loadTable", "updateTable", "dropTable")


def repeats_the_secret(_method: str, target: str, _body: bytes) -> Answer:
    """Answer as a catalog that repeats the token of its callers, `s3cret-word`."""
    if target.startswith("/v1/config"):
        return answer(200, {"defaults": {}, "overrides": {}})
    return answer(
        404, {"error": {"message": "no such s3cret-word", "type": "NoSuchThing", "code": 404}}
    )


class Here:
    """One worker in this process.

    Args:
        until: the number of cases before it stops; all by default.
    """

    name = "here"
    workers = 1

    def __init__(self, until: int | None = None) -> None:
        self.left = until

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def draw(self, wanted: seeds.Wanted, folder: Path) -> None:
        seeds.draw(wanted, folder)

    def execute(self, job: Job) -> None:
        for _ in send_cases(self._some(job), job, 0):
            pass

    def _some(self, job: Job) -> Iterator[Any]:
        for case_row in case_rows(job):
            if self.left == 0:
                raise KeyboardInterrupt
            self.left = None if self.left is None else self.left - 1
            yield case_row

    def judge(self, exchanges: Path, features: Any, *, results: Path, answers: Path) -> None:
        for number, part in enumerate(tables.parts(exchanges)):
            judge_part(part, features, folders=(results, answers), number=number)

    def analyse(self, run: Path, base: Path | None, *, quiet: Any) -> dict[str, Any]:
        return duckdb_analysis.analyse(run, base, quiet=quiet)


def few_cases(folder: Path) -> Path:
    """Return a small plan."""
    plans.plan(
        "iceberg_rest",
        folder,
        seeds=range(2),
        modes=("example", "near", "reading"),
        only=OPERATIONS,
    )
    return folder


def ran(plan: Path, run: Path, engine: Any, *targets: str) -> Path:
    """Return a new run, executed by the engine."""
    runs.prepare(plan, run, parse_targets(targets, runs.contracts(plan)))
    for _ in runs.send_remaining(run, engine):
        pass
    return run


def said(run: Path, engine: Any) -> dict[str, list[dict[str, Any]]]:
    """Judge a run, and return its sorted verdicts and answers without the members that differ
    between runs.
    """
    run_verdicts.judge(run, engine)
    return kept(run)


def kept(run: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the sorted verdicts and answers of a judged run, without the members that differ
    between runs.
    """
    found = {}
    for name, schema in {"results": tables.RESULTS, "answers": tables.ANSWERS}.items():
        rows = [
            {k: v for k, v in row.items() if k not in FLEETING}
            for row in tables.read(run / name, schema).to_pylist()
        ]
        found[name] = sorted(rows, key=lambda row: sorted((k, str(v)) for k, v in row.items()))
    return found


def exchanges(run: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tables.read(run / "exchanges", tables.EXCHANGES).to_pylist()
    return rows


def command(*words: str) -> list[str]:
    """Return the command line of a campaign verb."""
    return [sys.executable, "-m", "lakepact.cli", "campaign", *words]


def told(*words: str) -> str:
    """Run a campaign verb that must succeed, and return its output."""
    done = subprocess.run(
        command(*words), capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class Counting:
    """A proxy to a server that records all names in requests."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = httpx.Client(trust_env=False, verify=False)
        self.seen: list[tuple[bytes, bytes]] = []  #: the word of a run, and the number of a case

    def close(self) -> None:
        self._client.close()

    def __call__(self, method: str, target: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        self.seen += set(NAMES.findall(target.encode() + body))
        request = httpx.Request(
            method,
            self._url,
            content=body,
            headers={"Content-Type": "application/json"},
            extensions={"target": target.encode()},
        )
        answered = self._client.send(request)
        kept = {n: v for n, v in answered.headers.items() if n in {"content-type", "etag"}}
        return answered.status_code, kept, answered.content
