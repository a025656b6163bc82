"""The command `lakepact check-client`."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lakepact.cli import main
from lakepact.conformance.clients.command import check_client
from lakepact.conformance.report import lines
from sampling import some

MINIATURE = str(Path(__file__).parent / "miniature_catalog_client.py")

#: A client of watsonx.data that sends one API key, whatever its tasks name.
ONE_KEY = """
import json, sys
from lakepact.client import WatsonxCatalog, ZenApiKey

for line in sys.stdin:
    asked = json.loads(line)
    task, own = asked["task"], asked["arguments"]
    address, warehouse = own["uri"], own["properties"]["warehouse"]
    with WatsonxCatalog(address, warehouse, auth=ZenApiKey(*{sent!r}.split(":"))) as catalog:
        try:
            answer = {{"not_offered": True}}
            if task == "list-namespaces":
                answer = {{"result": list(catalog.list_namespaces())}}
            elif task == "table-exists":
                answer = {{"result": catalog.table_exists((own["namespace"], own["table"]))}}
        except Exception as error:
            answer = {{"error": {{"type": type(error).__name__, "message": str(error)}}}}
    print(json.dumps(answer), flush=True)
"""


def result_of(*arguments: str) -> Result:
    return CliRunner().invoke(check_client, list(arguments), catch_exceptions=False)


def test_correct_client_exits_with_0_and_is_named_after_its_file() -> None:
    result = result_of("--only", "IRC-PAG-006", "--", sys.executable, MINIATURE)

    assert result.exit_code == 0, result.output
    assert (
        "conformant, only IRC-PAG-006  miniature_catalog_client.py  iceberg_rest 1.10.0"
        in result.output
    )


def test_faulty_client_exits_with_1_and_its_requests_are_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAKEPACT_FAULT", "takes-conflicts-for-done")
    report = tmp_path / "report.jsonl"
    process = result_of(
        "--only",
        "IRC-CLI-003",
        "--report",
        f"jsonl={report}",
        "--name",
        "mine",
        "--",
        sys.executable,
        MINIATURE,
    )

    assert process.exit_code == 1, process.output
    report_lines = lines.read(report)
    assert (report_lines[0]["target"], report_lines[0]["side"]) == ("mine", "client")
    (result,) = [line for line in report_lines if line["line"] == "result"]
    assert result["verdicts"][0]["actual"] == "the result null"
    assert "updateTable" in [
        line["operation"] for line in report_lines if line["line"] == "exchange"
    ]


def test_client_that_breaks_a_recommendation_alone_is_conformant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LAKEPACT_FAULT", "does-not-page")
    result = result_of("--only", "IRC-CLI-007", "--", sys.executable, MINIATURE)

    assert result.exit_code == 0
    assert "conformant, only IRC-CLI-007" in result.output
    assert "1 cause of warnings" in result.output


def test_report_of_a_client_names_its_requests_and_how_to_repeat_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAKEPACT_FAULT", "takes-conflicts-for-done")
    report = tmp_path / "report.jsonl"
    program = ("--", sys.executable, MINIATURE)
    result = result_of(
        "--only", "IRC-CLI-003", "--severity", "data", "--report", f"jsonl={report}", *program
    )
    issue = CliRunner().invoke(main, ["issue", str(report), "1"]).output
    reproduction = CliRunner().invoke(main, ["reproduce", str(report), "1"])

    sentence = "A client does not treat a refused request as successful."
    assert f"CAUSE 1  data lost or corrupted  1 requirement\n      {sentence}" in result.output
    assert "sent           POST /v1/" in result.output
    assert "-> 409" in result.output
    assert issue.startswith(f"# {sentence}\n")
    assert "lakepact check-client --contract iceberg_rest --only IRC-CLI-003 -- COMMAND" in issue
    assert "curl" not in issue
    assert reproduction.exit_code == 2
    assert "--hold IRC-CLI-003" in reproduction.output


def test_hold_shows_scripted_tasks_and_takes_answers_from_the_input() -> None:
    arguments = ["--hold", "IRC-CLI-031", "--", sys.executable, MINIATURE]
    result = CliRunner().invoke(check_client, arguments, input='log\n\n{"error": {"type": "X"}}\n')

    assert result.output.startswith("IRC-CLI-031: A client treats the current-snapshot-id -1")
    tasks = [json.loads(line) for line in result.output.splitlines() if '"uri"' in line]
    assert [task["task"] for task in tasks][:3] == ["append-rows", "append-rows", "load-table"]
    assert "/task-" in tasks[0]["arguments"]["uri"]
    assert "expected       append or overwrite" in result.output  # nobody appended the rows


def test_page_of_a_client_omits_declared_operations(tmp_path: Path) -> None:
    page = tmp_path / "client.html"
    result_of("--only", "IRC-PAG-006", "--report", f"html={page}", "--", sys.executable, MINIATURE)

    html = page.read_text("utf-8")
    assert "miniature_catalog_client.py" in html
    assert "operations declared" not in html
    assert 'id="offer"' not in html


ERRORS = """import sys
for _ in sys.stdin:
    print('{"error": {"type": "ImportError", "message": "no client"}}', flush=True)
"""


@pytest.mark.parametrize(
    ("program", "how"),
    [
        ("raise SystemExit('broken')", "the program ended without an answer: exit code 1"),
        (ERRORS, "error ImportError: no client"),
    ],
)
def test_client_that_performs_no_task_exits_with_3_without_verdicts(program: str, how: str) -> None:
    result = result_of(
        "--only",
        "IRC-CLI-01*",
        "--only",
        "IRC-CLI-043",
        "--json",
        "--",
        sys.executable,
        "-c",
        program,
    )
    report_lines = [json.loads(line) for line in result.stdout.splitlines()]

    assert result.exit_code == 3, result.output
    assert [line for line in report_lines if line["line"] == "result"] == []
    assert how in report_lines[-1]["stopped"]


@pytest.mark.parametrize("contract", ["iceberg_rest", "delta_sharing"])
@pytest.mark.parametrize("result", some(["null", "[]"], 2))
def test_client_that_sends_no_request_passes_nothing(contract: str, result: str) -> None:
    # fast-forwards are refused where they have to be
    error = '{"error": {"type": "Error", "message": "as ever"}}'
    program = f"import sys\nfor line in sys.stdin: print({error!r} if 'fast-forward' in line else '{{\"result\": {result}}}', flush=True)"
    process = result_of("--contract", contract, "--json", "--", sys.executable, "-c", program)
    results = [
        line for line in map(json.loads, process.stdout.splitlines()) if line["line"] == "result"
    ]

    assert process.exit_code == 1, process.output
    assert [line["requirement"] for line in results if line["outcome"] in {"pass", "error"}] == []


def test_ctrl_c_ends_the_client_program_and_exits_with_3(tmp_path: Path) -> None:
    start_file = tmp_path / "begun"
    program = "import pathlib, sys, time; sys.stdin.readline(); "
    program += f"pathlib.Path({str(start_file)!r}).touch(); time.sleep(100)"
    command = [
        sys.executable,
        "-m",
        "lakepact.cli",
        "check-client",
        "--only",
        "IRC-PAG-006",
        "--",
        sys.executable,
        "-c",
        program,
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        until = time.monotonic() + 60
        while not start_file.exists() and time.monotonic() < until:
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=40)

    assert run.returncode == 3
    assert "lakepact check-client: interrupted" in errors


def test_arguments_of_the_client_program_are_not_reported() -> None:
    result = result_of(
        "--only", "IRC-PAG-006", "--json", "--", sys.executable, MINIATURE, "--password=swordfish"
    )

    assert "swordfish" not in result.output


KEY = "hank:planted-key"
OF_AN_INSTANCE = "--contract", "watsonx_data", "--api-key-env", "USER_AND_KEY"


@pytest.mark.parametrize(
    ("client_key", "code"),
    [(KEY, 0), pytest.param("hank:another-key", 3, marks=pytest.mark.nightly)],
)
def test_client_of_an_instance_sends_the_api_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, client_key: str, code: int
) -> None:
    monkeypatch.setenv("USER_AND_KEY", KEY)
    program, report = tmp_path / "one_key.py", tmp_path / "report.jsonl"
    program.write_text(ONE_KEY.format(sent=client_key), "utf-8")

    only = "--only", "IRC-CLI-015", "--report", f"jsonl={report}"
    result = result_of(*OF_AN_INSTANCE, *only, "--", sys.executable, str(program))

    assert result.exit_code == code, result.output
    assert "planted-key" not in report.read_text("utf-8")


@pytest.mark.parametrize(
    ("key", "contract", "problem"),
    [
        ("hank:planted-key", "iceberg_rest", "--contract watsonx_data"),
        ("planted-key", "watsonx_data", "`user:key`"),
        ("", "watsonx_data", "--api-key-env names is not set"),
    ],
)
def test_api_key_that_no_client_sends_is_wrong_usage(
    monkeypatch: pytest.MonkeyPatch, key: str, contract: str, problem: str
) -> None:
    monkeypatch.setenv("USER_AND_KEY", key)
    arguments = "--contract", contract, "--api-key-env", "USER_AND_KEY"
    result = result_of(*arguments, "--", sys.executable, MINIATURE)

    assert (result.exit_code, problem in result.output) == (2, True), result.output
    assert "planted-key" not in result.output


def test_argument_longer_than_a_file_name_is_passed_to_the_program() -> None:
    result = result_of(
        "--only", "IRC-PAG-006", "--", sys.executable, MINIATURE, "-cp", "/jars/a.jar:" * 400
    )

    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "name the command that speaks for the client"),
        (("--", "no-such-program-here"), "there is no program no-such-program-here"),
        (("--only", "NOTHING", "--", sys.executable), "nothing matches NOTHING"),
        (("--report", "png=x", "--", sys.executable), "--report png=x"),
    ],
)
def test_wrong_usage_exits_with_2_and_names_the_mistake(
    arguments: tuple[str, ...], reason: str
) -> None:
    result = result_of(*arguments)

    assert result.exit_code == 2
    assert reason in result.output


@pytest.mark.parametrize(
    ("contract", "task"),
    [
        ("iceberg_rest", "set-properties"),
        ("watsonx_data", "rename-view"),
        ("delta_sharing", "read-table"),
    ],
)
def test_tasks_option_lists_the_tasks(contract: str, task: str) -> None:
    result = result_of("--contract", contract, "--tasks")

    assert result.exit_code == 0
    assert task in result.output


@pytest.mark.parametrize("contract", ["iceberg_rest", "delta_sharing"])
def test_page_names_every_task(contract: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "test-a-client.md").read_text("utf-8")
    tasks = [
        line.split()[0] for line in result_of("--contract", contract, "--tasks").output.splitlines()
    ]

    assert [task for task in tasks if f"`{task}`" not in page] == []
