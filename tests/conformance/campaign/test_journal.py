"""The journal keeps every answered case when a worker ends early; only cases in flight are in
doubt.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from campaigns import exchanges
from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.execution import journal
from lakepact.conformance.campaign.execution.journal import WorkerLog


def row(case_id: str, step: int = 0) -> dict[str, Any]:
    members = {
        "target": "a",
        "case_id": case_id,
        "step": step,
        "number": 0,
        "request_body": b"\x00\xff",
        "response_body": None,
    }
    return {
        **dict.fromkeys(tables.EXCHANGES.names),
        **members,
        "started_at": datetime(2026, 11, 21, 20, 0, 0, 123456, tzinfo=UTC),
    }


def send(worker: WorkerLog, *cases: str, steps: int = 1) -> None:
    for case_id in cases:
        worker.sets_out("a", case_id, "word0")
        worker.lands([row(case_id, step) for step in range(steps)])


@pytest.fixture
def worker(tmp_path: Path) -> WorkerLog:
    return WorkerLog(tmp_path, "w-0")


def in_doubt(run: Path) -> list[tuple[str, str]]:
    rows = tables.read(run / "interruptions", tables.INTERRUPTIONS).to_pylist()
    return [(row["case_id"], row["word"]) for row in rows]


def test_closed_worker_leaves_only_table_files(worker: WorkerLog, tmp_path: Path) -> None:
    send(worker, "one", "two", steps=2)
    worker.close()
    journal.gather(tmp_path, "run")

    assert exchanges(tmp_path) == [row("one"), row("one", 1), row("two"), row("two", 1)]
    assert list((tmp_path / "journal").iterdir()) == []


def test_worker_that_broke_off_keeps_answers_and_doubts_the_case_in_flight(
    worker: WorkerLog, tmp_path: Path
) -> None:
    send(worker, "one")
    worker.sets_out("a", "two", "word0")
    worker.leave()
    journal.gather(tmp_path, "run")

    assert exchanges(tmp_path) == [row("one")]
    assert in_doubt(tmp_path) == [("two", "word0")]


def test_log_with_a_cut_line_is_read_up_to_that_line(worker: WorkerLog, tmp_path: Path) -> None:
    send(worker, "one", "two")
    worker.leave()
    (log,) = (tmp_path / "journal").glob("*.jsonl")
    log.write_bytes(log.read_bytes()[:-20])
    journal.gather(tmp_path, "run")

    assert exchanges(tmp_path) == [row("one")]
    assert in_doubt(tmp_path) == [("two", "word0")]


def test_rows_in_both_file_and_log_are_read_once(worker: WorkerLog, tmp_path: Path) -> None:
    send(worker, "one")
    log = next((tmp_path / "journal").glob("*.jsonl"))
    before = log.read_bytes()
    worker.close()
    log.write_bytes(before)
    journal.gather(tmp_path, "run")

    assert exchanges(tmp_path) == [row("one")]


def test_case_that_was_not_sent_completely_is_not_in_doubt(
    worker: WorkerLog, tmp_path: Path
) -> None:
    worker.sets_out("a", "one", "word0")
    worker.turns_back("a", "one")
    worker.leave()
    journal.gather(tmp_path, "run")

    assert in_doubt(tmp_path) == []


def test_log_of_a_running_worker_is_not_gathered(worker: WorkerLog, tmp_path: Path) -> None:
    send(worker, "one")
    journal.gather(tmp_path, "run", patience=0.0)

    assert exchanges(tmp_path) == []
    worker.close()
    assert exchanges(tmp_path) == [row("one")]


def test_full_batch_lands_before_the_worker_ends(
    worker: WorkerLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "TOGETHER", 2)
    send(worker, "one", "two", "three")

    assert [row["case_id"] for row in exchanges(tmp_path)] == ["one", "two"]
    worker.close()


@pytest.mark.parametrize(("word", "goes_on"), [("new", True), ("old", False)])
def test_only_the_last_start_goes_on(word: str, *, goes_on: bool, tmp_path: Path) -> None:
    journal.begin(tmp_path, "old")
    journal.begin(tmp_path, "new")

    assert goes_on == journal.goes_on(tmp_path, word)
