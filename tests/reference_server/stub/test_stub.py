"""`lakepact serve --record` and `--script`: the server as a stub for tests of clients."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from lakepact.cli import main
from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.stub.recorder import REDACTED, Recorder, redact_body, redact_query
from lakepact.reference_server.stub.script import Rule, Script, read

RULES = """
- operation: updateTable
  times: 1
  handle: true
  status: 500
  body: {error: {message: lost, type: CommitStateUnknownException, code: 500}}
- operation: listNamespaces
  times: 1
  status: 503
  headers: {Retry-After: 1}
- operation: namespaceExists
  close: before
- {operation: loadTable, close: within, times: 1}
- {path: /v1/config, skip: 1, times: 1, delay: 0.3}
"""
SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": 1, "name": "id", "type": "long", "required": True}],
}


@contextlib.contextmanager
def serving(*options: str) -> Generator[httpx.Client]:
    command = [
        sys.executable,
        "-m",
        "lakepact.reference_server",
        "--port",
        "0",
        "--contract",
        "iceberg_rest",
        *options,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            url = server.stdout.readline().strip() if server.stdout else ""
            with httpx.Client(
                base_url=url,
                trust_env=False,
                timeout=20,
                headers={"Authorization": "Bearer swordfish"},
            ) as client:
                yield client
        finally:
            server.terminate()
            server.wait(10)


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[httpx.Client, Path]]:
    folder = tmp_path_factory.mktemp("stub")
    (folder / "rules.yaml").write_text(RULES, "utf-8")
    with serving(
        "--script", str(folder / "rules.yaml"), "--record", str(folder / "record.jsonl")
    ) as client:
        client.post("/v1/namespaces", json={"namespace": ["a"]})
        client.post("/v1/namespaces/a/tables", json={"name": "t", "schema": SCHEMA})
        yield client, folder / "record.jsonl"


def recorded(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_scripted_answer_replaces_that_of_a_handled_commit(stub: tuple[httpx.Client, Path]) -> None:
    client, _ = stub
    body = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"k": "v"}}]}
    answered = client.post("/v1/namespaces/a/tables/t", json=body)

    assert (answered.status_code, answered.json()["error"]["message"]) == (500, "lost")
    with pytest.raises(httpx.RemoteProtocolError):
        client.get("/v1/namespaces/a/tables/t")
    assert client.get("/v1/namespaces/a/tables/t").json()["metadata"]["properties"] == {"k": "v"}


def test_rule_holds_as_often_as_it_says(stub: tuple[httpx.Client, Path]) -> None:
    client, _ = stub
    first, second = client.get("/v1/namespaces"), client.get("/v1/namespaces")

    assert (first.status_code, first.headers["retry-after"], second.status_code) == (503, "1", 200)


def test_connection_is_closed_without_an_answer(stub: tuple[httpx.Client, Path]) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        stub[0].head("/v1/namespaces/a")


def test_delay_begins_after_the_skipped_requests(stub: tuple[httpx.Client, Path]) -> None:
    seconds = []
    for _ in range(2):
        started = time.monotonic()
        assert stub[0].get("/v1/config").status_code == 200
        seconds.append(time.monotonic() - started)

    assert seconds[1] >= 0.3


def test_exchanges_are_recorded_without_secrets(stub: tuple[httpx.Client, Path]) -> None:
    client, file = stub
    client.get("/v1/namespaces/a", headers={"x-mark": "recorded"})
    last = recorded(file)[-1]

    assert (last["operation"], last["method"], last["path"], last["status"]) == (
        "loadNamespaceMetadata",
        "GET",
        "/v1/namespaces/a",
        200,
    )
    assert last["body"]["namespace"] == ["a"]
    assert ["x-mark", "recorded"] in last["request_headers"]
    assert "swordfish" not in file.read_text("utf-8")


def test_secrets_of_bodies_and_queries_are_redacted() -> None:
    form = redact_body(
        b"grant_type=client_credentials&client_secret=s", "application/x-www-form-urlencoded"
    )
    config = redact_body(
        b'{"config": {"s3.session-token": "s", "url": "https://x/y?sig=s"}, "next-page-token": "n"}',
        "application/json",
    )

    assert form == {"grant_type": "client_credentials", "client_secret": REDACTED}
    assert config == {
        "config": {"s3.session-token": REDACTED, "url": f"https://x/y?{REDACTED}"},
        "next-page-token": "n",
    }
    assert redact_query("a=1&X-Amz-Signature=s") == "a=1&X-Amz-Signature=%3Credacted%3E"


def test_first_fitting_rule_holds() -> None:
    script = Script([Rule(path="/v1/*", times=1, status=500), Rule(status=404)])

    statuses = [
        rule.status for _ in range(2) if (rule := script.rule_for("GET", "/v1/config", "getConfig"))
    ]
    assert statuses == [500, 404]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "must be a list of rules"),
        ("- 1", "rule 1 of .* must be an object"),
        ("- {operation: getConfig, stauts: 500}", "unknown keys: stauts"),
        ("- {status: '500'}", "status has a value of the wrong type"),
        ("- {status: 99}", "status must be between 200 and 599"),
        ("- {close: later}", "close must be before or within"),
    ],
)
def test_wrong_scripts_are_refused_with_the_place(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "rules.yaml").write_text(text, "utf-8")

    with pytest.raises(BadSetting, match=message):
        read(tmp_path / "rules.yaml")


def test_script_of_the_page_is_valid(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "test-a-client.md").read_text("utf-8")
    (block,) = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "rules.yaml").write_text(block, "utf-8")
    rule = read(tmp_path / "rules.yaml").rule_for("GET", "/v1/namespaces/a/tables", "listTables")

    assert rule is not None
    assert (rule.status, rule.headers) == (503, {"Retry-After": "1"})


BOMB = "- body: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"- body: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)
)
HOSTILE_SCRIPTS = {
    "aliases": BOMB,
    "circle": "- body: &a [*a]",
    "deep": f"- body: {'[' * 5000}",
    "deep body": f"- body: {'[' * 300}{']' * 300}",
    "binary": "- {body: !!binary aGk=}",
    "set": "- {body: !!set {a}}",
    "python": '- !!python/object/apply:os.system ["touch pwned"]',
    "surrogate": '- {body: "\\ud800"}',
    "digits": f"- {{body: 1{'0' * 5000}}}",
    "huge integer": f"- {{body: 1{'0' * 50}}}",
    "not a number": "- {delay: .nan}",
    "endless": "- {delay: .inf}",
    "negative": "- {skip: -1}",
    "line end in a header": '- {status: 200, headers: {a: "b\\r\\nSet-Cookie: x"}}',
    "header beyond Latin": '- {status: 200, headers: {a: "\u20ac"}}',
    "header name": '- {status: 200, headers: {"a\\r\\nb": x}}',
}


@pytest.mark.parametrize("name", HOSTILE_SCRIPTS)
def test_hostile_script_is_refused_in_one_printable_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.yaml").write_text(HOSTILE_SCRIPTS[name], "utf-8")
    with pytest.raises(BadSetting) as refused:
        read(Path("rules.yaml"))

    assert (str(refused.value).isprintable(), len(str(refused.value)) < 600) == (True, True)
    assert [path.name for path in tmp_path.iterdir()] == ["rules.yaml"]


def test_control_characters_of_a_script_are_not_printed(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text('- {"a\\x1b[2J\\nb": 1}', "utf-8")
    done = CliRunner().invoke(
        main, ["serve", "--port", "0", "--script", str(tmp_path / "rules.yaml")]
    )

    assert (
        done.exit_code,
        done.stderr.partition("Error: ")[2].removesuffix("\n").isprintable(),
    ) == (2, True)


@pytest.mark.parametrize(
    "body",
    [
        b'{"a":"\\ud800"}',
        b"[" * 5000 + b"]" * 5000,
        b"[" * 600 + b"]" * 600,
        b'{"a":NaN}',
        "\x9b\u202e\u2028".encode(),
        b"\xff",
        b"1" * 5000,
    ],
)
def test_hostile_body_is_recorded_as_one_line_of_printable_json(body: bytes) -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    Recorder(file).write({"body": redact_body(body, "application/json")})
    file.seek(0)
    line = file.read()

    def no_constant(name: str) -> None:
        raise AssertionError(name)

    assert (line.count("\n"), line.removesuffix("\n").isprintable()) == (1, True)
    assert json.loads(line, parse_constant=no_constant).keys() == {"body"}
