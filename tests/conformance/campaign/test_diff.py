"""`lakepact diff` sends the same requests to two targets and reports where the answers differ."""

from __future__ import annotations

import gc
import os
import re
import signal
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lakepact.conformance.campaign.diff import diff
from lakepact.conformance.campaign.engines.local import LocalEngine
from lakepact.conformance.campaign.planning.generation import EFFECT
from lakepact.conformance.campaign.planning.seeds import Wanted
from lakepact.reference_server import running

FEW = ("--seeds", "1", "--only", "listNamespaces", "--only", "loadNamespaceMetadata")


def diff_of(*arguments: str) -> Result:
    return CliRunner().invoke(diff, list(arguments), catch_exceptions=False)


def test_equal_servers_exit_with_0() -> None:
    with running(warehouse="memory:") as left, running(warehouse="memory:") as right:
        result = diff_of(left.url, right.url, *FEW)

    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("no divergences")
    assert re.fullmatch(r"(\d+) of \1 answers, \d+ s", result.stderr.splitlines()[-1])


def test_difference_exits_with_1_and_its_first_line_names_the_gravest_cause(tmp_path: Path) -> None:
    out = tmp_path / "kept"
    with (
        running(warehouse="memory:") as left,
        running(warehouse="memory:", faults=["loadNamespaceMetadata.answers-503"]) as right,
    ):
        result = diff_of(left.url, right.url, *FEW, "--out", str(out))

    assert result.exit_code == 1, result.output
    first, *_ = lines = result.stdout.splitlines()
    assert first.startswith("CAUSE 1  loadNamespaceMetadata returned 200 (left), 503 (right), in ")
    assert any(line.split()[:1] == ["!"] or "! status 200" in line for line in lines)
    assert {
        url
        for url in (left.url, right.url)
        if not any("curl" in line and url in line for line in lines)
    } == set()
    assert {"plan", "run", "report.md", "report.html"} == {path.name for path in out.iterdir()}


@pytest.mark.nightly
def test_markdown_begins_with_the_gravest_cause() -> None:
    with (
        running(warehouse="memory:") as left,
        running(warehouse="memory:", faults=["loadNamespaceMetadata.answers-503"]) as right,
    ):
        result = diff_of(left.url, right.url, *FEW, "--format", "md")

    assert result.stdout.splitlines()[4].startswith("### 1. loadNamespaceMetadata returned 200")


def test_target_that_is_no_address_exits_with_2() -> None:
    result = diff_of("nowhere", "http://127.0.0.1:1")

    assert result.exit_code == 2
    assert (
        "lakepact diff: --target left: nowhere is no http:// or https:// address" in result.output
    )


def test_pattern_without_an_operation_exits_with_2() -> None:
    with running(warehouse="memory:") as server:
        result = diff_of(server.url, server.url, "--only", "nothing")

    assert result.exit_code == 2
    assert "nothing" in result.output


def test_unreachable_target_exits_with_3_before_a_plan_is_made(tmp_path: Path) -> None:
    with running(warehouse="memory:") as left:
        result = diff_of(left.url, "http://127.0.0.1:9", *FEW, "--out", str(tmp_path))

    assert (result.exit_code, list(tmp_path.iterdir())) == (3, [])
    assert "lakepact diff: the target right gives no usable answer" in result.output


def test_nonempty_output_folder_exits_with_2(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    result = diff_of("http://127.0.0.1:9", "http://127.0.0.1:9", "--out", str(tmp_path))

    assert result.exit_code == 2
    assert "there is something in it" in result.output


def test_ctrl_c_stops_the_drawing_of_cases(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    many = Wanted(("iceberg_rest",), range(200), (EFFECT,), per_seed=1, only=("*",))

    def interrupt(engine: LocalEngine) -> None:
        while not 0 < len(engine._pool._pending_work_items) <= 190:  # until processes draw
            time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    # Hypothesis measures each collection, and a signal that arrives in its callback is lost
    gc.disable()
    request.addfinalizer(gc.enable)
    with LocalEngine(2) as engine:
        threading.Thread(target=interrupt, args=(engine,), daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            engine.draw(many, tmp_path)
