"""The program that runs a client under test: its lines, and how it ends."""

from __future__ import annotations

import operator
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lakepact.conformance.evidence.outcome import Blocked, NotOffered, Unmet
from lakepact.conformance.programs.program import Program

ECHO = "import sys, json\nfor line in sys.stdin: print(json.dumps({'result': json.loads(line)}), flush=True)"
ONCE = "import os, sys\nsys.stdin.readline()\nprint('{\"result\": %d}' % os.getpid(), flush=True)"
programs: list[Program] = []


def python(code: str, *, seconds: float = 20.0) -> Program:
    program = Program((sys.executable, "-c", code), seconds)
    programs.append(program)
    return program


def program_that_prints(line: str) -> str:
    """Return a program that answers every task with a line."""
    return f"import sys\nfor _ in sys.stdin: print({line!r}, flush=True)"


def answering(line: str) -> Program:
    return python(program_that_prints(line))


RESULT = operator.attrgetter("result")
REFUSAL = operator.methodcaller("expect_refusal", "the answer was cut")


@pytest.fixture(autouse=True)
def _stop_programs() -> Iterator[None]:
    yield
    while programs:
        programs.pop().stop()


def test_program_gets_its_task_as_a_line_of_json() -> None:
    assert python(ECHO).run("read", {"é": [1]}).result == {"task": "read", "arguments": {"é": [1]}}


def test_program_answers_several_tasks_in_one_process() -> None:
    program = python(
        "import os, sys\nfor _ in sys.stdin: print('{\"result\": %d}' % os.getpid(), flush=True)"
    )

    assert program.run("read", {}).result == program.run("read", {}).result


def test_program_that_ends_after_each_task_is_started_again() -> None:
    program = python(ONCE)

    assert program.run("read", {}).result != program.run("read", {}).result


def test_lines_that_are_no_answer_are_ignored() -> None:
    program = python(
        "import sys\nfor _ in sys.stdin: print('hello'); print('{}'); print('{\"result\": 1}', flush=True)"
    )

    assert program.run("read", {}).result == 1


CRASHED = (
    "read: the program ended without an answer: exit code 1; its error stream: the lake is dry"
)


@pytest.mark.parametrize(
    ("code", "use", "error", "complaint"),
    [
        (program_that_prints('{"not_offered": true}'), None, NotOffered, "does not implement read"),
        (
            program_that_prints('{"error": {"type": "Dry", "message": "the lake is dry"}}'),
            RESULT,
            Unmet,
            "read: error Dry: the lake is dry",
        ),
        ("raise SystemExit('the lake is dry')", RESULT, Unmet, CRASHED),
        (
            program_that_prints('{"result": []}'),
            REFUSAL,
            Unmet,
            "an error from read, since the answer was cut",
        ),
        ("import time; time.sleep(60)", REFUSAL, Blocked, "may need a longer --timeout"),
    ],
)
def test_end_of_a_task_that_was_not_performed_is_told(
    code: str, use: Callable[[Any], object], error: type[Exception], complaint: str
) -> None:
    program = python(code, seconds=0.5 if "sleep" in code else 20.0)

    with pytest.raises(error, match=complaint):
        use(program.run("read", {}))


def test_failure_on_a_cut_answer_is_accepted() -> None:
    REFUSAL(answering('{"error": {"type": "Dry"}}').run("read", {}))
    assert answering('{"error": {"type": "Dry"}}').run("read", {}).error == "Dry"


def test_long_error_is_quoted_from_its_beginning() -> None:
    run = answering(
        '{"error": {"type": "Dry", "message": "the lake is dry%s"}}' % (" at Lake.java" * 100)
    ).run("read", {})

    assert run.text.startswith("read: error Dry: the lake is dry at Lake.java")


def test_order_of_members_does_not_matter() -> None:
    run = answering(
        '{"result": [{"file": "b", "deletes": []}, {"deletes": ["z"], "file": "a"}]}'
    ).run("plan", {})

    assert run.prints([{"deletes": [], "file": "b"}, {"file": "a", "deletes": ["z"]}])


def test_timeout_ends_the_program_and_its_children() -> None:
    before = time.monotonic()
    run = python("import subprocess; subprocess.run(['sleep', '60'])", seconds=0.5).run("read", {})

    assert run.is_late
    assert time.monotonic() - before < 30


def test_stopped_program_blocks_further_tasks() -> None:
    program = python(ECHO)
    program.stop()

    with pytest.raises(Blocked, match="read was stopped"):
        program.run("read", {})


def check_for(seconds: float, program: Program) -> None:
    """Check again and again that a program is running."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        program.check_running()
        time.sleep(0.02)


def test_program_that_ends_before_a_task_is_noticed_with_its_error_stream() -> None:
    program = python("import sys; sys.exit('no such client')")
    program.start()
    with pytest.raises(Blocked, match="an answer: exit code 1; its error stream: no such client"):
        check_for(20, program)


def test_program_that_waits_for_tasks_is_running() -> None:
    program = python(ECHO)
    program.start()
    program.check_running()

    assert program.run("list", {}).value == {"task": "list", "arguments": {}}
