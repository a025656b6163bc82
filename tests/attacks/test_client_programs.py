"""A program of `check-client` that hangs, leaves processes or writes without end is ended in
time.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from click.testing import CliRunner

from lakepact.conformance.clients.command import check_client
from lakepact.conformance.programs.program import Program

#: A process in a session of its own, which keeps the pipes of the program; its id is in a file.
LEAVES_A_DAEMON = """
import subprocess, sys
daemon = subprocess.Popen(["sleep", "120"], start_new_session=True)
open(sys.argv[1], "w").write(str(daemon.pid))
"""
ANSWERS = "import sys\nfor _ in sys.stdin: print('{\"result\": 1}', flush=True)\n"
MEMORY = 200 * 1024  #: KiB that this process may grow by


@pytest.fixture
def daemon(tmp_path: Path) -> Generator[Path]:
    """The file in which a program writes the id of its daemon, which ends after the test."""
    file = tmp_path / "pid"
    yield file
    if file.exists():
        subprocess.run(["kill", "-9", file.read_text()], check=False)


def program(code: str, *arguments: object, seconds: float = 3.0) -> Program:
    return Program((sys.executable, "-c", code, *map(str, arguments)), seconds)


def is_running(process: int) -> bool:
    """Return whether a process exists and is no zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("then", "result"),
    [
        (ANSWERS, "read: done"),
        ("sys.exit('the lake is dry')", "exit code 1; its error stream: the lake is dry"),
        ("sys.stdin.readline()", "exit code 0"),
        ("import time; time.sleep(60)", "read: the program was ended after 3 s"),
    ],
)
def test_program_that_leaves_a_daemon_ends_in_time(then: str, result: str, daemon: Path) -> None:
    before = time.monotonic()
    tested = program(f"{LEAVES_A_DAEMON}\n{then}", daemon)
    ended = tested.run("read", {})
    tested.stop()

    assert result in ended.text
    assert time.monotonic() - before < 20
    assert daemon.exists()


def test_program_with_daemons_is_started_again_for_each_task(
    daemon: Path,
) -> None:
    once = f"{LEAVES_A_DAEMON}\nsys.stdin.readline()\nprint('{{\"result\": 1}}', flush=True)"
    tested = program(once, daemon, seconds=20)

    assert [tested.run("read", {}).result for _ in range(3)] == [1, 1, 1]
    tested.stop()


def test_processes_of_a_program_end_with_it(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    tested = program(
        LEAVES_A_DAEMON.replace(", start_new_session=True", "") + "import time; time.sleep(60)",
        file,
    )
    tested.run("read", {})
    child = int(file.read_text())

    # A killed process runs until the kernel delivers the signal.
    until = time.monotonic() + 20
    while is_running(child) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_running(child)


@pytest.mark.parametrize(
    "code",
    [
        "while True: sys.stdout.write('x' * 65536)",
        "while True: sys.stderr.write('x' * 65536)",
        "while True: print('{\"result\": 1', flush=False)",
        "while True: print('{\"result\": \"%s\"}' % ('x' * 60000), flush=False)",
        "sys.stdin.close()\nwhile True: print('{}', file=sys.stderr)",
    ],
)
def test_endless_output_is_bounded(code: str) -> None:
    before, most = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tested = program(f"import sys\n{code}")
    tested.run("read", {})
    tested.stop()

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most < MEMORY
    assert time.monotonic() - before < 20


def test_first_and_last_lines_of_the_error_stream_are_shown() -> None:
    code = (
        "import sys\nprint('first line', file=sys.stderr)\n"
        "for _ in range(10000): print('between', file=sys.stderr)\nsys.exit('last line')"
    )
    shown = program(code, seconds=20).run("read", {}).text

    assert "exit code 1; its error stream: first line between" in shown
    assert shown.endswith("between last line")
    assert len(shown) < 1000


def test_program_that_reads_nothing_is_ended_in_time() -> None:
    before = time.monotonic()
    ended = program("import time; time.sleep(60)").run("read", {"rows": ["x" * 1_000_000]})

    assert ended.is_late
    assert time.monotonic() - before < 20


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (("cat",), "the program was ended after 2 s"),
        ((sys.executable, "-c", "import lake"), "No module named 'lake'"),
        (("sh", "-c", "echo first >&2; sleep 60"), "the program was ended after 2 s: first"),
        (("true",), "exit code 0"),
    ],
)
def test_adapter_that_answers_nothing_stops_the_run_at_once(
    command: tuple[str, ...], why: str
) -> None:
    before = time.monotonic()
    ended = CliRunner().invoke(check_client, ["--timeout", "2", "--", *command])
    output = " ".join(ended.output.split())

    assert ended.exit_code == 3, output
    # A program that ends at once may be noticed before its first task.
    said = "the program (answers no task: list-namespaces|ended without an answer)"
    assert re.search(said, output), output
    assert why in output
    assert "FAIL" not in output
    assert time.monotonic() - before < 30
