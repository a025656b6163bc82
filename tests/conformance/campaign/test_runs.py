"""A run never sends a finished case again, and judging a run twice gives the same verdicts."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from campaigns import Here, exchanges, few_cases, ran, repeats_the_secret, said
from faulty import mutants
from lakepact.conformance.campaign import documents, run_verdicts, runs, tables
from lakepact.conformance.campaign.errors import Refused
from lakepact.conformance.campaign.execution import workers
from lakepact.conformance.campaign.execution.job import Job
from lakepact.conformance.campaign.execution.workers import case_rows
from lakepact.conformance.campaign.targets import of_document, parse_targets
from lakepact.reference_server.running import running as serving
from miniatures import miniature

ONE = ("iceberg_rest",)
FAULTS = ("creation-is-201", "drops-answer-200", "error-code-always-400")
BROKEN = {"IRC-GEN-006", "IRC-GEN-009", "IRC-ERR-003"}


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return few_cases(tmp_path_factory.mktemp("campaign") / "plan")


@pytest.fixture
def server() -> Iterator[str]:
    with serving(warehouse="memory:") as one:
        yield one.url


def numbers(rows: list[dict[str, object]]) -> set[str]:
    """Return the case numbers in the object names of requests."""
    return {
        n
        for row in rows
        for n in re.findall(r"lp_[0-9a-f]+r*_(\d+)_", f"{row['url']} {row['request_body']!r}")
    }


@pytest.fixture(scope="module")
def whole(plan: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run on two equal servers and a faulty server, which were stopped afterwards."""
    with (
        serving(warehouse="memory:") as one,
        serving(warehouse="memory:") as other,
        serving(warehouse="memory:", faults=mutants(FAULTS)) as faulty,
    ):
        targets = (f"a={one.url}", f"b={other.url}", f"bad={faulty.url}")
        return ran(plan, tmp_path_factory.mktemp("whole") / "run", Here(), *targets)


@pytest.fixture(scope="module")
def verdicts(whole: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the results and answers of the whole run."""
    return said(whole, Here())


def of(target: str, verdicts: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    return {
        table: [row for row in rows if row["target"] == target] for table, rows in verdicts.items()
    }


def test_every_case_is_sent_to_every_target_once(plan: Path, whole: Path) -> None:
    counts = Counter((row["target"], row["case_id"]) for row in exchanges(whole))
    cases = tables.read(plan / "cases", tables.CASES).column("case_id").to_pylist()

    assert {(target, case): 1 for target in ("a", "b", "bad") for case in cases} == counts
    assert documents.read(whole / "run.json")["status"] == "complete"


def test_equal_servers_pass_and_do_not_diverge(
    whole: Path, verdicts: dict[str, list[dict[str, Any]]]
) -> None:
    observations = [
        json.loads(row["observations"])
        for row in run_verdicts.analyse(whole, Here())["divergences"]
    ]

    assert [each for each in observations if each.get("a") != each.get("b")] == []
    assert [
        row for row in verdicts["results"] if row["target"] != "bad" and row["verdict"] != "pass"
    ] == []


@pytest.mark.usefixtures("verdicts")
def test_faults_of_a_target_are_found(whole: Path) -> None:
    coverage = run_verdicts.analyse(whole, Here())["coverage"]

    assert {("bad", r) for r in BROKEN} <= {
        (row["target"], row["requirement_id"]) for row in coverage if row["verdict"] == "fail"
    }


def test_judging_again_without_a_server_gives_the_same_result(
    whole: Path, verdicts: dict[str, list[dict[str, Any]]]
) -> None:
    assert verdicts == said(whole, Here())


def test_interrupted_run_resumes_with_the_missing_cases(
    plan: Path, verdicts: dict[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    with serving(warehouse="memory:") as one:
        with pytest.raises(KeyboardInterrupt):
            ran(plan, tmp_path / "run", Here(until=30), f"a={one.url}")
        run, before = tmp_path / "run", exchanges(tmp_path / "run")
        for _ in runs.send_remaining(run, Here()):
            pass
    after = [row for row in exchanges(run) if row["word"] != before[0]["word"]]

    assert len(before) == 30
    assert tables.read(run / "interruptions", tables.INTERRUPTIONS).num_rows == 0
    assert set() == {row["case_id"] for row in after} & {row["case_id"] for row in before}
    assert set() == numbers(after) & {str(row["number"]) for row in before}
    assert of("a", verdicts) == said(run, Here())


class Disturbed(Here):
    """An engine that does something before some of its cases.

    Args:
        events: by number of cases.
    """

    def __init__(self, events: Mapping[int, Callable[[], object]]) -> None:
        super().__init__()
        self._events = events

    def _some(self, job: Job) -> Iterator[Any]:
        for n, case_row in enumerate(case_rows(job)):
            if not job.turn and n in self._events:
                self._events[n]()
            yield case_row


@pytest.fixture
def mortal() -> Iterator[tuple[str, contextlib.ExitStack]]:
    """Yield the address of a server, and what ends it."""
    with contextlib.ExitStack() as ends:
        yield ends.enter_context(serving(warehouse="memory:")).url, ends


def test_target_that_stops_answering_leaves_the_run_incomplete(
    plan: Path, server: str, mortal: tuple[str, contextlib.ExitStack], tmp_path: Path
) -> None:
    runs.prepare(plan, tmp_path / "run", parse_targets([f"a={server}", f"b={mortal[0]}"], ONE))
    *_, last = runs.send_remaining(tmp_path / "run", Disturbed({20: mortal[1].close}), patience=0.0)
    total = tables.read(plan / "cases", tables.CASES).num_rows
    by_target = Counter(row["target"] for row in exchanges(tmp_path / "run"))

    assert by_target == {"a": total, "b": 10}
    assert last.missing == {"b": total - 10}
    assert documents.read(tmp_path / "run" / "run.json")["status"] == "incomplete"


def test_target_that_comes_back_gets_every_case(
    plan: Path,
    server: str,
    mortal: tuple[str, contextlib.ExitStack],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "HELD", 5)
    url, ends = mortal
    runs.prepare(plan, tmp_path / "run", parse_targets([f"a={server}", f"b={url}"], ONE))
    back = serving(warehouse="memory:", port=int(url.rpartition(":")[2]))
    events = {20: ends.close, 60: lambda: ends.enter_context(back)}
    *_, last = runs.send_remaining(tmp_path / "run", Disturbed(events), patience=10.0)
    turns = Counter(row["word"][6] for row in exchanges(tmp_path / "run") if row["target"] == "b")

    assert (last.stored, last.missing) == (last.total, {})
    assert turns["0"] >= 15
    assert turns["1"] > 0
    assert documents.read(tmp_path / "run" / "run.json")["status"] == "complete"


@pytest.mark.parametrize("several", [2, 3])
def test_each_case_has_one_worker_for_all_its_targets(
    several: int, whole: Path, tmp_path: Path
) -> None:
    targets = tuple(
        of_document(document) for document in documents.read(whole / "run.json")["targets"]
    )
    shutil.copytree(whole / "cases", tmp_path / "cases")
    job = Job(str(tmp_path), "run", "word", targets, workers=several)
    shares = [
        [(row["case_id"], row["target"]) for row in case_rows(job, worker)]
        for worker in range(several)
    ]
    cases = tables.read(tmp_path / "cases", tables.CASES).column("case_id").to_pylist()

    assert sorted(pair for share in shares for pair in share) == sorted(
        (case, t) for case in cases for t in ("a", "b", "bad")
    )
    assert all(len({case for case, _ in share}) * 3 == len(share) > 0 for share in shares)


def test_unreachable_target_is_named_before_a_run_is_created(plan: Path, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="the target gone gives no usable answer"):
        ran(plan, tmp_path / "run", Here(), "gone=http://127.0.0.1:9")

    assert not (tmp_path / "run").exists()


def test_existing_run_is_refused_and_resume_is_advised(plan: Path, whole: Path) -> None:
    with pytest.raises(Refused, match="--resume"):
        ran(plan, whole, Here(), "a=http://127.0.0.1:9")


def test_second_use_of_a_run_is_refused(plan: Path, server: str, tmp_path: Path) -> None:
    runs.prepare(plan, tmp_path / "run", parse_targets([f"a={server}"], ONE))
    first = runs.send_remaining(tmp_path / "run", Here())
    next(first)

    with pytest.raises(Refused, match="another process"):
        next(runs.send_remaining(tmp_path / "run", Here()))
    first.close()


def test_no_file_of_a_run_holds_a_secret(
    plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THEIR_TOKEN", "s3cret-word")
    (tmp_path / "t.toml").write_text("", encoding="utf-8")
    with miniature(repeats_the_secret) as url:
        (tmp_path / "t.toml").write_text(
            f'url = "{url}"\ntoken_env = "THEIR_TOKEN"\n', encoding="utf-8"
        )
        run = ran(plan, tmp_path / "run", Here(), f"a={tmp_path / 't.toml'}")
    said(run, Here())
    schemas = {"exchanges": tables.EXCHANGES, "results": tables.RESULTS}
    rows = [
        row
        for table, schema in schemas.items()
        for row in tables.read(run / table, schema).to_pylist()
    ]
    texts = [repr(rows), *(path.read_text() for path in run.rglob("*.json"))]

    assert [text for text in texts if "s3cret" in text] == []


def test_analysis_of_an_unjudged_run_raises_lookup_error(tmp_path: Path) -> None:
    document = {"run_id": "a", "status": "complete", "plan": {"contracts": {}}, "targets": []}
    tables.write_json(document, tmp_path / "run.json")

    with pytest.raises(LookupError, match="judge it first"):
        run_verdicts.analyse(tmp_path, Here())
