"""The program that speaks for a client: what it is told, and how it ends."""

from __future__ import annotations

import sys
import time

import pytest

from lakepact.conformance.clients.program import Program
from lakepact.conformance.outcome import Blocked, NotOffered, Unmet


def python(code: str, *, seconds: float = 20.0) -> Program:
    return Program((sys.executable, "-c", code), seconds)


def test_it_is_told_its_task_and_one_object_of_arguments() -> None:
    ended = Program((sys.executable, "-c", "import json, sys; print(json.dumps(sys.argv[1:]))"), 20.0).run("read", {"é": [1]})

    assert ended.result == ["read", '{"é":[1]}']


def test_exit_code_77_says_that_the_client_cannot_do_it() -> None:
    with pytest.raises(NotOffered, match="nothing for read"):
        python("raise SystemExit(77)").run("read", {})


def test_what_fails_is_shown_with_the_end_of_what_it_said() -> None:
    ended = python("raise SystemExit('the lake is dry')").run("read", {})

    with pytest.raises(Unmet, match="read: exit code 1; it said: the lake is dry"):
        _ = ended.result


def test_what_prints_no_json_is_unmet() -> None:
    with pytest.raises(Unmet, match="JSON printed by read"):
        _ = python("print('rows')").run("read", {}).result


def test_what_prints_nothing_has_nothing_as_its_result() -> None:
    assert python("pass").run("read", {}).result is None


def test_what_takes_too_long_is_ended_with_all_that_it_started() -> None:
    started = time.monotonic()
    ended = python("import subprocess; subprocess.run(['sleep', '60'])", seconds=0.5).run("read", {})

    assert ended.code is None
    assert time.monotonic() - started < 30


def test_who_ends_well_has_not_noticed() -> None:
    with pytest.raises(Unmet, match="read to fail: the answer was cut"):
        python("print([])").run("read", {}).is_refused("the answer was cut")


def test_who_fails_has_noticed() -> None:
    python("raise SystemExit(3)").run("read", {}).is_refused("the answer was cut")


def test_of_who_hangs_nobody_knows_whether_it_has_noticed() -> None:
    with pytest.raises(Blocked, match="--timeout gives it more time"):
        python("import time; time.sleep(60)", seconds=0.3).run("read", {}).is_refused("the answer was cut")


def test_what_was_stopped_starts_nothing_any_more() -> None:
    program = python("print([])")
    program.stop()

    with pytest.raises(Blocked, match="read was stopped"):
        program.run("read", {})
