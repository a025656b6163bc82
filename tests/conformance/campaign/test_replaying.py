"""Replay of a single case of a run, and minimization to the smallest case that breaks the same
requirement.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from campaigns import Here, ran
from faulty import mutants
from lakepact.conformance.campaign import plans, replay, run_verdicts, tables
from lakepact.conformance.campaign.cli import campaign
from lakepact.conformance.campaign.execution import sending
from lakepact.conformance.campaign.execution.job import Job
from lakepact.conformance.campaign.execution.sending import CaseSender
from lakepact.conformance.campaign.judging.verdicts import judge_row
from lakepact.conformance.campaign.planning.cases import case_of, text_of_steps
from lakepact.conformance.campaign.runs import discover
from lakepact.conformance.campaign.targets import parse_targets
from lakepact.conformance.fuzz.steps import Step
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.running import running as serving

FAULTS = ("creation-is-201", "error-code-always-400")
CREATION, CODE = "IRC-GEN-009", "IRC-ERR-003"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run on a faulty server that was stopped afterwards."""
    folder = tmp_path_factory.mktemp("replaying")
    modes, only = (
        ("example", "sequence"),
        ("createNamespace", "createTable", "loadTable", "dropTable", "updateProperties"),
    )
    plans.plan("iceberg_rest", folder / "plan", seeds=range(2), modes=modes, only=only)
    with serving(warehouse="memory:", faults=mutants(FAULTS)) as server:
        ran(folder / "plan", folder / "run", Here(), f"a={server.url}")
    run_verdicts.judge(folder / "run", Here())
    return folder / "run"


@pytest.fixture
def faulty() -> Iterator[str]:
    with serving(warehouse="memory:", faults=mutants(FAULTS)) as server:
        yield server.url


def breaking(run: Path, requirement: str, mode: str) -> str:
    """Return a case of a mode that breaks a requirement."""
    rows = tables.read(run / "results", tables.RESULTS).to_pylist()
    return min(
        r["case_id"]
        for r in rows
        if (r["requirement_id"], r["verdict"], r["mode"]) == (requirement, "fail", mode)
    )


def test_replayed_case_breaks_the_same_requirement(run: Path, faulty: str) -> None:
    outcome = replay.send_again(run, breaking(run, CREATION, "example")[:12], "a", url=faulty)

    assert (
        [one.row["http_status"] for one in outcome.before]
        == [one.row["http_status"] for one in outcome.after]
        == [201]
    )
    assert {CREATION} <= {bad["requirement_id"] for one in outcome.after for bad in one.bad}
    assert outcome.differs(0) == ()


def test_replay_on_a_repaired_server_breaks_nothing(run: Path) -> None:
    with serving(warehouse="memory:") as sound:
        outcome = replay.send_again(run, breaking(run, CREATION, "example"), "a", url=sound.url)

    assert [one.bad for one in outcome.after] == [()]
    assert "status" in outcome.differs(0)


def test_minimized_sequence_is_shorter_and_breaks_the_same_requirement(
    run: Path, faulty: str
) -> None:
    outcome = replay.minimize(
        run, breaking(run, CODE, "sequence"), "a", requirement=CODE, url=faulty
    )
    again = case_of(outcome.case)

    assert outcome.before > len(again.steps) == len(outcome.results)
    assert [bad["requirement_id"] for bad in outcome.results[-1].bad].count(CODE) == 1
    assert outcome.attempts <= 121


def test_body_that_names_another_namespace_is_sent_about_the_own_one(
    run: Path, faulty: str
) -> None:
    case = next(
        row
        for row in tables.read(run / "cases", tables.CASES).to_pylist()
        if row["operation_id"] == "createNamespace"
    )
    target = discover(parse_targets([f"a={faulty}"], ("iceberg_rest",))[0])
    sender = CaseSender(Job("", "r", "abcdef", (target,)), 0, "abcdef")
    step = Step(op.create_namespace, {}, {"namespace": ["theirs"]})
    (exchange,) = sender.rows({**case, "request": text_of_steps([step])})
    sender.close()

    assert json.loads(exchange["request_body"])["namespace"][0].startswith("lp_abcdef")


@pytest.mark.parametrize(("most_pages", "verdicts"), [(2, ["inconclusive"]), (3, []), (100, [])])
def test_listing_with_more_pages_than_are_read_is_inconclusive(
    run: Path,
    faulty: str,
    monkeypatch: pytest.MonkeyPatch,
    most_pages: int,
    verdicts: list[str],
) -> None:
    monkeypatch.setattr(sending, "MOST_PAGES", most_pages)
    case = next(
        row
        for row in tables.read(run / "cases", tables.CASES).to_pylist()
        if row["operation_id"] == "createNamespace"
    )
    for name in ("a", "b"):
        httpx.post(f"{faulty}/v1/namespaces", json={"namespace": [name]}).raise_for_status()
    creation = Step(op.create_namespace, {}, {"namespace": ["c"]})
    pages = Step(op.list_namespaces, {}, None, (("pageToken", ""), ("pageSize", "1")))
    settings = discover(parse_targets([f"a={faulty}"], ("iceberg_rest",))[0])
    sender = CaseSender(Job("", "r", "abcdef", (settings,)), 0, "abcdef")
    *_, listing = sender.rows({**case, "request": text_of_steps([creation, pages])})
    sender.close()

    assert [
        verdict["verdict"] for verdict in judge_row(listing)[0] if verdict["check_id"] == "answers"
    ] == verdicts
    assert len(listing["pages"]) == min(most_pages, 3) - 1


def test_minimization_stops_after_the_given_attempts(run: Path, faulty: str) -> None:
    assert (
        replay.minimize(
            run, breaking(run, CODE, "sequence"), "a", requirement=CODE, url=faulty, attempts=3
        ).attempts
        <= 4
    )


def test_minimization_of_a_passing_case_raises_lookup_error(run: Path) -> None:
    with (
        serving(warehouse="memory:") as sound,
        pytest.raises(LookupError, match="nothing to make smaller"),
    ):
        replay.minimize(run, breaking(run, CREATION, "example"), "a", url=sound.url)


def test_commands_show_both_answers_and_keep_the_smallest_case(run: Path, faulty: str) -> None:
    case = breaking(run, CREATION, "example")
    where = ["--run", str(run), "--case", case, "--target", "a", "--url", faulty]
    replay_result = CliRunner().invoke(campaign, ["replay", *where])
    least = CliRunner().invoke(campaign, ["minimize", *where])

    assert (replay_result.exit_code, least.exit_code) == (1, 0), replay_result.output + least.output
    assert [
        word
        for word in ("then", "now", "alike", "curl", CREATION)
        if word not in replay_result.output
    ] == []
    (file,) = (run / "minimized").glob("*.json")
    assert str(file) in least.output
    assert json.loads(file.read_text())["requirement_id"] in least.output


@pytest.mark.parametrize(
    ("case", "target", "sentence"),
    [("0" * 32, "a", "no case of the run"), ("", "a", "no case"), (None, "b", "the run has a")],
)
def test_unknown_case_or_target_exits_with_2_and_one_line(
    case: str | None, target: str, sentence: str, run: Path
) -> None:
    name = breaking(run, CREATION, "example") if case is None else case
    result = CliRunner().invoke(
        campaign, ["replay", "--run", str(run), "--case", name, "--target", target]
    )

    assert (result.exit_code, sentence in result.output, result.output.count("\n")) == (2, True, 1)


def test_unreachable_target_exits_with_3_and_one_line(run: Path) -> None:
    result = CliRunner().invoke(
        campaign,
        [
            "replay",
            "--run",
            str(run),
            "--case",
            breaking(run, CREATION, "example"),
            "--target",
            "a",
        ],
    )

    assert (result.exit_code, result.output.count("\n")) == (3, 1)
