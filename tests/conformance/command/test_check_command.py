"""The command `lakepact check`: usage errors, unreachable targets and interruptions."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from xml.etree import ElementTree as ET

import orjson
import pytest
from click.testing import CliRunner, Result

from lakepact.conformance.commands.check import check
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.report import lines
from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import contracts
from lakepact.reference_server import running
from miniatures import Answer, answer, miniature

UNREACHABLE = "http://127.0.0.1:1"  #: an address without a server


def result_of(*arguments: str) -> Result:
    return CliRunner().invoke(check, arguments)


@contextlib.contextmanager
def checking(*arguments: str) -> Generator[subprocess.Popen[str]]:
    """Start the command in its own process."""
    command = [sys.executable, "-m", "lakepact.cli", "check", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        yield process


def test_unreachable_target_is_reported_as_incomplete(tmp_path: Path) -> None:
    kinds = {kind: tmp_path / kind for kind in ("html", "jsonl", "junit", "md")}
    result = result_of(UNREACHABLE, *(f"--report={kind}={path}" for kind, path in kinds.items()))

    header, footer = lines.read(kinds["jsonl"])
    assert (result.exit_code, header["target"], footer["verdict"], footer["exit_code"]) == (
        3,
        UNREACHABLE,
        "incomplete",
        3,
    )
    assert f"no answer to GET {UNREACHABLE}/v1/config" in footer["stopped"]
    assert footer["stopped"].startswith("nothing listens at this port: ")
    assert footer["stopped"] in result.output
    (error,) = ET.parse(kinds["junit"]).iter("error")
    assert error.attrib["message"].endswith(f" requirements were judged: {footer['stopped']}")
    assert all(
        footer["stopped"] in kinds[kind].read_text(encoding="utf-8") for kind in ("html", "md")
    )


@pytest.mark.parametrize(("conforms", "code"), [(True, 3), (False, 1)])
def test_unwritable_report_keeps_the_verdict_and_the_other_reports(
    tmp_path: Path, code: int, *, conforms: bool
) -> None:
    config = {
        "defaults": {},
        "overrides": {},
        "endpoints": ["GET /v1/config"] * (1 if conforms else 2),
    }
    folder, file = tmp_path / "report.md", tmp_path / "report.jsonl"

    def configuration(*_: object):
        folder.mkdir(exist_ok=True)  # while the run goes on: before it, this is wrong usage
        return answer(200, config)

    with miniature(configuration) as url:
        result = result_of(
            url,
            "--only",
            "IRC-CFG-017",
            "--strict",
            f"--report=md={folder}",
            f"--report=jsonl={file}",
        )

    assert (
        result.exit_code,
        f"the report {folder} cannot be written" in result.stderr,
        file.exists(),
    ) == (code, True, True)


def test_json_of_an_unreachable_target_has_header_and_footer() -> None:
    result = result_of(UNREACHABLE, "--json")

    header, footer = (orjson.loads(line) for line in result.stdout.splitlines())
    assert (header["line"], footer["line"], footer["verdict"]) == ("header", "footer", "incomplete")


def test_password_in_an_address_is_sent_and_not_reported(tmp_path: Path) -> None:
    heard: list[str] = []

    class Server:
        def listen(self, headers: dict[str, str]) -> None:
            heard.append(headers.get("authorization", ""))

        def __call__(self, *_: object) -> Answer:
            return answer(200, {"defaults": {}, "overrides": {}, "endpoints": ["GET /v1/config"]})

    path = tmp_path / "report"
    with miniature(Server()) as url:
        result = result_of(
            url.replace("//", "//hank:geheim%21@"),
            "--only",
            "IRC-CFG-001",
            f"--report=jsonl={path}",
        )

    assert "Basic aGFuazpnZWhlaW0h" in heard
    texts = path.read_text(encoding="utf-8") + result.output
    assert [secret for secret in ("geheim", "aGFuazpnZWhlaW0h") if secret in texts] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_check_reports_finished_requirements(
    tmp_path: Path, number: signal.Signals
) -> None:
    path, start, release = tmp_path / "report", threading.Event(), threading.Event()

    def server(_method: str, target: str, _body: bytes) -> Answer:
        if "warehouse=" in target:
            start.set()
            release.wait(30)
        return answer(200, {"defaults": {}, "overrides": {}, "endpoints": ["GET /v1/config"]})

    words = ["--only", "IRC-CFG-001", "--only", "IRC-CFG-005", "--report", f"jsonl={path}"]
    with miniature(server) as url, checking(url, *words) as process:
        assert start.wait(30)
        time.sleep(1.0)  # time for the other check to finish
        process.send_signal(number)
        at_once = process.stderr.readline() if process.stderr else ""  # before the server answers
        release.set()
        output, complaint = process.communicate(timeout=60)

    report = lines.read(path)
    assert at_once == "lakepact: interrupted; checks that run remove their objects\n"
    requirements = {line["requirement"] for line in report if line["line"] == "result"}
    footer = report[-1]
    assert (process.returncode, footer["verdict"], footer["exit_code"], footer["stopped"]) == (
        3,
        "incomplete",
        3,
        "interrupted",
    )
    assert ("IRC-CFG-001" in requirements, "IRC-CFG-005" in requirements) == (True, False)
    assert (complaint, "incomplete, only IRC-CFG-001, IRC-CFG-005  http" in output) == (
        "lakepact check: interrupted\n",
        True,
    )


@pytest.mark.parametrize("option", ["--parameter", "--profile"])
def test_unknown_parameter_exits_with_2_and_a_suggestion(tmp_path: Path, option: str) -> None:
    profile = tmp_path / "target.toml"
    profile.write_text('[parameters]\nwarehous = "x"\n', encoding="utf-8")
    result = result_of(
        UNREACHABLE, option, "warehous=x" if option == "--parameter" else str(profile)
    )

    assert result.exit_code == 2
    assert "unknown parameter warehous; did you mean warehouse" in result.output


@pytest.mark.parametrize("contract", contracts())
def test_parameters_of_the_embedded_server_are_known(contract: str, tmp_path: Path) -> None:
    suite = suites.load(contract)

    assert set(suite.launch_settings(tmp_path).parameters) - set(suite.parameters) == set()


def test_explicit_authorization_header_overrides_the_address() -> None:
    target = Target("https://hank:x@host:8443/base", headers={"Authorization": "Bearer t"})

    assert (target.url, dict(target.headers)) == (
        "https://host:8443/base",
        {"Authorization": "Bearer t"},
    )


@pytest.mark.parametrize("url", ["http://h/?token=do-not-tell", "http://u:do-not-tell@h:99999/"])
def test_secret_in_an_unusable_address_is_not_repeated(url: str) -> None:
    result = result_of(url)

    assert (result.exit_code, "do-not-tell" in result.output) == (2, False)


def test_closed_stdout_exits_with_3_and_writes_report_files(tmp_path: Path) -> None:
    file = tmp_path / "report.jsonl"
    with checking(UNREACHABLE, "--json", "--report", f"jsonl={file}") as process:
        process.stdout.close()
        complaint = process.stderr.read()
        code = process.wait(60)

    assert (code, complaint.count("\n"), "Traceback" in complaint) == (3, 1, False)
    assert lines.read(file)[-1]["verdict"] == "incomplete"


def test_profile_feature_that_is_not_boolean_exits_with_2(tmp_path: Path) -> None:
    profile = tmp_path / "target.toml"
    profile.write_text(f'url = "{UNREACHABLE}"\nfeatures = {{nesting = "off"}}\n', encoding="utf-8")
    result = result_of("--profile", str(profile))

    assert result.exit_code == 2
    assert "the feature nesting is 'off'; write true or false" in result.output


def test_unknown_fault_exits_with_2_and_is_named_once() -> None:
    with checking("--fault", "no-such-fault") as process:
        complaint = process.communicate(timeout=60)[1]

    assert (process.returncode, complaint.count("no-such-fault"), complaint.count("Usage: ")) == (
        2,
        1,
        1,
    )


@pytest.mark.parametrize(
    ("contract", "where"), [("iceberg_rest", "/v1/config"), ("delta_sharing", "/shares")]
)
@pytest.mark.parametrize(
    ("status", "text", "advice"),
    [
        (200, "Welcome", "the base address of a catalog ends before /v1"),
        (503, "Maintenance", "the base address of a catalog ends before /v1"),
        (400, "The plain HTTP request was sent to HTTPS port", "try https://"),  # of nginx
        (400, "No required SSL certificate was sent", "--client-cert FILE"),
    ],
)
def test_web_page_exits_with_3_and_advice(
    contract: str, where: str, status: int, text: str, advice: str
) -> None:
    page = (
        status,
        {"Content-Type": "text/html; charset=utf-8"},
        f"\n<html><body>{text}</body></html>".encode(),
    )
    with miniature(lambda _method, _target, _body: page) as url:
        result = result_of(url, "--contract", contract)

    assert result.exit_code == 3
    assert f"GET {url}{where} returned" in result.output
    assert advice in result.output


NOT_HERE = {"error": {"message": "no such page", "type": "NotFoundException", "code": 404}}
NOT_YOU = {"error": {"message": "who are you", "type": "NotAuthorizedException", "code": 401}}
WHICH = {
    "error": {"message": "say which \x1b[1mwarehouse", "type": "BadRequestException", "code": 400}
}


@pytest.mark.parametrize("contract", ["iceberg_rest", "watsonx_data"])
@pytest.mark.parametrize(
    ("status", "document", "headers", "advice"),
    [
        (401, NOT_YOU, {}, "--token-env NAME"),
        (403, None, {}, "--token-env NAME"),
        (
            302,
            None,
            {"Location": "https://login.example/in?nonce=do-not-tell"},
            "it sends elsewhere, to https://login.example/in\n",
        ),
        (404, None, {}, "the base address of a catalog ends before /v1"),
        (
            400,
            WHICH,
            {},
            "say which \\x1b[1mwarehouse (--warehouse NAME names the warehouse)",
        ),
    ],
)
def test_catalog_that_refuses_every_request_exits_with_3(
    contract: str, status: int, document: object, headers: dict[str, str], advice: str
) -> None:
    with miniature(lambda *_: answer(status, document, **headers)) as url:
        result = result_of(url, "--contract", contract, "--parameter", "warehouse=w")

    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (3, "", 1)
    assert f"GET {url}/v1/config?warehouse=w returned {status} " in result.stderr
    assert advice in result.stderr


def test_unknown_warehouse_exits_with_3_and_the_message_of_the_server() -> None:
    with running(warehouse="memory:") as server:
        result = result_of(server.url, "--warehouse", "nowhere", "--only", "IRC-NS-DROP-005")

    assert (result.exit_code, result.stdout) == (3, "")
    assert "there is no warehouse 'nowhere'" in result.stderr
    assert "--warehouse NAME names the warehouse" in result.stderr


def test_error_of_an_unknown_path_names_where_addresses_end() -> None:
    with miniature(lambda *_: answer(404, NOT_HERE)) as url:
        result = result_of(url)

    assert result.exit_code == 3
    assert "no such page (the base address of a catalog ends before /v1; --ware" in result.stderr


def test_answer_without_media_type_is_named() -> None:
    with miniature(lambda *_: (401, {}, b"")) as url:
        result = result_of(url)

    assert "returned 401 without media type: it does not know this caller" in result.stderr


def test_catalog_that_refuses_only_its_configuration_exits_with_1() -> None:
    assert result_of("--fault", "getConfig.answers-503", "--only", "IRC-CFG-007").exit_code == 1


@pytest.mark.parametrize("contract", ["iceberg_rest", "delta_sharing"])
def test_quick_judges_a_part_of_the_requirements(contract: str, tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    result = result_of("--contract", contract, "--quick", "--report", f"jsonl={path}")
    results = [line for line in lines.read(path) if line["line"] == "result"]

    assert result.exit_code == 0
    assert {line["outcome"] for line in results} <= {"pass", "not-offered"}
    assert 40 <= len(results) <= 80
