"""The program that runs a client under test: its arguments, and how it ends."""

from __future__ import annotations

import sys
import time

import pytest

from lakepact.conformance.clients.program import Program
from lakepact.conformance.outcome import Blocked, NotOffered, Unmet


def python(code: str, *, seconds: float = 20.0) -> Program:
    return Program((sys.executable, "-c", code), seconds)


def test_program_gets_its_task_and_a_json_object() -> None:
    ended = Program((sys.executable, "-c", "import json, sys; print(json.dumps(sys.argv[1:]))"), 20.0).run("read", {"é": [1]})

    assert ended.result == ["read", '{"é":[1]}']


def test_exit_code_77_is_not_offered() -> None:
    with pytest.raises(NotOffered, match="nothing for read"):
        python("raise SystemExit(77)").run("read", {})


def test_failed_program_is_unmet_with_its_last_output() -> None:
    ended = python("raise SystemExit('the lake is dry')").run("read", {})

    with pytest.raises(Unmet, match="read: exit code 1; it said: the lake is dry"):
        _ = ended.result


def test_output_without_json_is_unmet() -> None:
    with pytest.raises(Unmet, match="JSON printed by read"):
        _ = python("print('rows')").run("read", {}).result


def test_empty_output_is_no_result() -> None:
    assert python("pass").run("read", {}).result is None


def test_timeout_ends_the_program_and_its_children() -> None:
    started = time.monotonic()
    ended = python("import subprocess; subprocess.run(['sleep', '60'])", seconds=0.5).run("read", {})

    assert ended.code is None
    assert time.monotonic() - started < 30


def test_success_on_a_cut_answer_is_unmet() -> None:
    with pytest.raises(Unmet, match="read to fail: the answer was cut"):
        python("print([])").run("read", {}).is_refused("the answer was cut")


def test_failure_on_a_cut_answer_is_accepted() -> None:
    python("raise SystemExit(3)").run("read", {}).is_refused("the answer was cut")


def test_timeout_on_a_cut_answer_is_blocked() -> None:
    with pytest.raises(Blocked, match="--timeout gives it more time"):
        python("import time; time.sleep(60)", seconds=0.3).run("read", {}).is_refused("the answer was cut")


def test_stopped_program_blocks_further_tasks() -> None:
    program = python("print([])")
    program.stop()

    with pytest.raises(Blocked, match="read was stopped"):
        program.run("read", {})
