"""`lakepact check` as it is called: what it is told wrong it refuses, and a target that is not there has its report too."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import orjson
import pytest
from click.testing import CliRunner

from lakepact.conformance import suite as suites
from lakepact.conformance.commands.check import check
from lakepact.conformance.report import lines
from lakepact.conformance.target import Target
from lakepact.generated.contract import contracts
from miniatures import answer, miniature

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from click.testing import Result

    from miniatures import Answer

NOBODY = "http://127.0.0.1:1"  #: where nothing listens


def called(*arguments: str) -> Result:
    return CliRunner().invoke(check, arguments)


@contextlib.contextmanager
def checking(*arguments: str) -> Generator[subprocess.Popen[str]]:
    """Yield the command in a process of its own."""
    command = [sys.executable, "-m", "lakepact.cli", "check", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        yield process


def test_a_target_that_is_not_there_has_a_report_that_says_so(tmp_path: Path) -> None:
    kinds = {kind: tmp_path / kind for kind in ("html", "jsonl", "junit", "md")}
    result = called(NOBODY, *(f"--report={kind}={path}" for kind, path in kinds.items()))

    header, footer = lines.read(kinds["jsonl"])
    assert (result.exit_code, header["target"], footer["verdict"], footer["exit_code"]) == (3, NOBODY, "incomplete", 3)
    assert f"no answer to GET {NOBODY}/v1/config" in footer["stopped"]
    assert footer["stopped"] in result.output
    (error,) = ET.parse(kinds["junit"]).iter("error")
    assert error.attrib["message"] == footer["stopped"]
    assert all(footer["stopped"] in kinds[kind].read_text(encoding="utf-8") for kind in ("html", "md"))


@pytest.mark.parametrize(("conforms", "code"), [(True, 3), (False, 1)])
def test_a_report_that_cannot_be_written_keeps_neither_the_others_nor_a_verdict_back(tmp_path: Path, code: int, *, conforms: bool) -> None:
    config = {"defaults": {}, "overrides": {}, "endpoints": ["GET /v1/config"] * (1 if conforms else 2)}
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    unwritten, written = tmp_path / "file" / "report.md", tmp_path / "report.jsonl"
    with miniature(lambda *_: answer(200, config)) as url:
        result = called(url, "--only", "IRC-CFG-017", "--strict", f"--report=md={unwritten}", f"--report=jsonl={written}")

    assert (result.exit_code, f"the report {unwritten} cannot be written" in result.stderr, written.exists()) == (code, True, True)


def test_with_json_a_target_that_is_not_there_has_its_lines_too() -> None:
    result = called(NOBODY, "--json")

    header, footer = (orjson.loads(line) for line in result.stdout.splitlines())
    assert (header["line"], footer["line"], footer["verdict"]) == ("header", "footer", "incomplete")


def test_user_and_password_in_an_address_are_sent_and_reach_no_report(tmp_path: Path) -> None:
    heard: list[str] = []

    class Server:
        def listen(self, headers: dict[str, str]) -> None:
            heard.append(headers.get("authorization", ""))

        def __call__(self, *_: object) -> Answer:
            return answer(200, {"defaults": {}, "overrides": {}, "endpoints": ["GET /v1/config"]})

    path = tmp_path / "report"
    with miniature(Server()) as url:
        result = called(url.replace("//", "//hank:geheim%21@"), "--only", "IRC-CFG-001", f"--report=jsonl={path}")

    assert "Basic aGFuazpnZWhlaW0h" in heard
    written = path.read_text(encoding="utf-8") + result.output
    assert [secret for secret in ("geheim", "aGFuazpnZWhlaW0h") if secret in written] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_interrupted_shows_what_was_judged_until_then(tmp_path: Path, number: signal.Signals) -> None:
    path, begun, called_off = tmp_path / "report", threading.Event(), threading.Event()

    def server(_method: str, target: str, _body: bytes) -> Answer:
        if "warehouse=" in target:
            begun.set()
            called_off.wait(30)
        return answer(200, {"defaults": {}, "overrides": {}, "endpoints": ["GET /v1/config"]})

    words = ["--only", "IRC-CFG-001", "--only", "IRC-CFG-005", "--report", f"jsonl={path}"]
    with miniature(server) as url, checking(url, *words) as process:
        assert begun.wait(30)
        time.sleep(1.0)  # in which the other check comes to its end
        process.send_signal(number)
        time.sleep(0.2)
        called_off.set()
        said, complaint = process.communicate(timeout=60)

    report = lines.read(path)
    judged = {line["requirement"] for line in report if line["line"] == "result"}
    footer = report[-1]
    assert (process.returncode, footer["verdict"], footer["exit_code"], footer["stopped"]) == (3, "incomplete", 3, "interrupted")
    assert ("IRC-CFG-001" in judged, "IRC-CFG-005" in judged) == (True, False)
    assert (complaint, "incomplete  http" in said) == ("lakepact check: interrupted\n", True)


@pytest.mark.parametrize("given", ["--parameter", "--profile"])
def test_a_parameter_that_nobody_knows_is_refused_with_those_like_it(tmp_path: Path, given: str) -> None:
    profile = tmp_path / "target.toml"
    profile.write_text('[parameters]\nwarehous = "x"\n', encoding="utf-8")
    result = called(NOBODY, given, "warehous=x" if given == "--parameter" else str(profile))

    assert result.exit_code == 2
    assert "unknown parameter warehous; did you mean warehouse" in result.output


@pytest.mark.parametrize("contract", contracts())
def test_what_the_embedded_server_is_told_of_is_known(contract: str, tmp_path: Path) -> None:
    suite = suites.load(contract)

    assert set(suite.launch_settings(tmp_path).parameters) - set(suite.parameters) == set()


def test_a_target_keeps_the_headers_that_are_given_beside_its_address() -> None:
    target = Target("https://hank:x@host:8443/base", headers={"Authorization": "Bearer t"})

    assert (target.url, dict(target.headers)) == ("https://host:8443/base", {"Authorization": "Bearer t"})


@pytest.mark.parametrize("url", ["catalog.example.com", "ftp://catalog.example.com", "http://", "http://h:99999"])
def test_what_is_no_address_is_wrong_usage(url: str) -> None:
    result = called(url)

    assert result.exit_code == 2
    assert f"{url} is not the address of a server" in result.output


def test_an_empty_address_is_not_that_of_the_embedded_server() -> None:
    result = called("")

    assert (result.exit_code, "an empty text is not the address of a server" in result.output) == (2, True)


@pytest.mark.parametrize("url", ["http://h/?token=do-not-tell", "http://u:do-not-tell@h:99999/"])
def test_what_may_be_secret_in_an_address_that_is_none_is_not_repeated(url: str) -> None:
    result = called(url)

    assert (result.exit_code, "do-not-tell" in result.output) == (2, False)


def test_each_pattern_has_to_match_something() -> None:
    result = called(NOBODY, "--only", "IRC-CFG-001", "--only", "IRC-CGF-*")

    assert (result.exit_code, "nothing matches IRC-CGF-*;" in result.output) == (2, True)


def test_who_reads_a_part_of_a_report_has_no_verdict_and_the_files_all_the_same(tmp_path: Path) -> None:
    written = tmp_path / "report.jsonl"
    with checking(NOBODY, "--json", "--report", f"jsonl={written}") as process:
        process.stdout.close()
        complaint = process.stderr.read()
        code = process.wait(60)

    assert (code, complaint.count("\n"), "Traceback" in complaint) == (3, 1, False)
    assert lines.read(written)[-1]["verdict"] == "incomplete"


@pytest.mark.parametrize("said", ["nesting=maybe", "nesting=", "nesting"])
def test_a_feature_is_on_or_off(said: str) -> None:
    result = called(NOBODY, "--feature", said)

    assert (result.exit_code, "write n" in result.output.lower()) == (2, True)


def test_a_feature_in_a_profile_is_true_or_false(tmp_path: Path) -> None:
    profile = tmp_path / "target.toml"
    profile.write_text(f'url = "{NOBODY}"\nfeatures = {{nesting = "off"}}\n', encoding="utf-8")
    result = called("--profile", str(profile))

    assert result.exit_code == 2
    assert "the feature nesting is 'off'; write true or false" in result.output


def test_a_time_to_wait_is_more_than_none() -> None:
    assert called(NOBODY, "--timeout", "0").exit_code == 2


def test_a_model_that_a_contract_does_not_have_is_wrong_usage() -> None:
    result = called(NOBODY, "--contract", "delta_sharing", "--stateful-requests", "10")

    assert (result.exit_code, "delta_sharing has no stateful tests" in result.stderr) == (2, True)


def test_a_fault_that_nobody_knows_is_wrong_usage_said_once() -> None:
    with checking("--fault", "no-such-fault") as process:
        complaint = process.communicate(timeout=60)[1]

    assert (process.returncode, complaint.count("no-such-fault"), complaint.count("Usage: ")) == (2, 1, 1)


@pytest.mark.parametrize(("contract", "where"), [("iceberg_rest", "/v1/config"), ("delta_sharing", "/shares")])
@pytest.mark.parametrize("status", [200, 404, 503])
def test_a_web_page_is_not_judged(contract: str, where: str, status: int) -> None:
    page = (status, {"Content-Type": "text/html; charset=utf-8"}, b"\n<html><body>Welcome</body></html>")
    with miniature(lambda _method, _target, _body: page) as url:
        result = called(url, "--contract", contract)

    assert result.exit_code == 3
    assert f"GET {url}{where} returned" in result.output


NOT_YOU = {"error": {"message": "who are you", "type": "NotAuthorizedException", "code": 401}}
WHICH = {"error": {"message": "say which \x1b[1mwarehouse", "type": "BadRequestException", "code": 400}}


@pytest.mark.parametrize("contract", ["iceberg_rest", "watsonx_data"])
@pytest.mark.parametrize(
    ("status", "document", "headers", "advice"),
    [
        (401, NOT_YOU, {}, "--token-env NAME"),
        (403, None, {}, "--token-env NAME"),
        (302, None, {"Location": "https://login.example/in?nonce=do-not-tell"}, "it sends elsewhere, to https://login.example/in\n"),
        (404, None, {}, "the base address of a catalog ends before /v1"),
        (400, WHICH, {}, "say which  [1mwarehouse (--parameter warehouse=NAME names a warehouse)"),
    ],
)
def test_a_catalog_that_turns_everything_away_is_not_judged(
    contract: str, status: int, document: object, headers: dict[str, str], advice: str
) -> None:
    with miniature(lambda *_: answer(status, document, **headers)) as url:
        result = called(url, "--contract", contract, "--parameter", "warehouse=w")

    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (3, "", 1)
    assert f"GET {url}/v1/config?warehouse=w returned {status} " in result.stderr
    assert advice in result.stderr


def test_a_catalog_that_refuses_its_configuration_alone_is_judged() -> None:
    assert called("--fault", "getConfig.answers-503", "--only", "IRC-CFG-007").exit_code == 1
