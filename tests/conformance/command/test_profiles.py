"""Mistakes in profiles and in options about a target exit with 2 and one line without secrets."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from lakepact.cli import main
from lakepact.conformance.commands.check import check
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.running import profiles
from lakepact.reach.settings import DIRECT
from miniatures import Answer, answer, miniature

UNREACHABLE = "http://127.0.0.1:1"  #: an address without a server


def result_of(*arguments: str) -> Result:
    return CliRunner().invoke(check, arguments)


def error(result: Result) -> tuple[int, str]:
    """Return the exit code and the error message."""
    return result.exit_code, result.stderr.rpartition("Error: ")[2].removesuffix("\n")


class Server:
    """An empty catalog that records the headers of requests."""

    def __init__(self) -> None:
        self.heard: list[dict[str, str]] = []

    def listen(self, headers: dict[str, str]) -> None:
        self.heard.append(headers)

    def __call__(self, *_: object) -> Answer:
        return answer(200, {"defaults": {}, "overrides": {}, "endpoints": ["GET /v1/config"]})


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "1e10", "86401", "0"])
def test_timeout_outside_its_range_exits_with_2(seconds: str) -> None:
    code, sentence = error(result_of(UNREACHABLE, f"--timeout={seconds}"))

    assert (code, sentence.startswith("Invalid value for '--timeout'"), "\n" in sentence) == (
        2,
        True,
        False,
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("url = 3", "url must be a string in quotes"),
        ("token_env = 3", "token_env must be a string in quotes"),
        ("headers = 3", "headers must be a table: [headers], followed by lines NAME = VALUE"),
        ("[headers]\nA = 3", "headers.A must be a string in quotes"),
        ("[parameters]\nwarehouse = 3", "parameters.warehouse must be a string in quotes"),
        (
            'features = ["nesting"]',
            "features must be a table: [features], followed by lines NAME = VALUE",
        ),
        ("timeout = inf", "timeout must be a number of seconds, more than 0 and at most 86400"),
        ("timeout = true", "timeout must be a number of seconds, more than 0 and at most 86400"),
        ("odd = 3", f"unknown key odd; a profile has {', '.join(profiles.KEYS)}"),
    ],
)
def test_wrong_profile_value_exits_with_2_and_names_the_expected_value(
    text: str, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "target.toml"
    path.write_text(text, encoding="utf-8")

    assert (2, f"{path}: {sentence}") == error(result_of("--profile", str(path)))


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        ("url = \n", "PATH cannot be read: Invalid value"),
        (
            f'url = "{UNREACHABLE}"\n[headers]\nX-Key = "${{NEVER_SET_BY_ANYBODY}}"\n',
            "the environment variable NEVER_SET_BY_ANYBODY is empty or not set",
        ),
    ],
)
def test_unusable_profile_exits_with_2_and_its_reason(
    text: str, beginning: str, tmp_path: Path
) -> None:
    path = tmp_path / "target.toml"
    path.write_text(text, encoding="utf-8")
    code, sentence = error(result_of("--profile", str(path)))

    assert (code, sentence.startswith(beginning.replace("PATH", str(path)))) == (2, True)


HOSTILE = '"a\\u001b[2J\\u202e\\nb"'
HOSTILE_FILES = {
    "--profile": [
        f"{HOSTILE} = 1",
        f"[features]\n{HOSTILE} = true",
        f"[features]\n{HOSTILE} = 1",
        f"[parameters]\n{HOSTILE} = 'x'",
        f"[headers]\n{HOSTILE} = 'x'",
        f"token_env = {HOSTILE}",
        'token_env = "a\\u0000"',
        f"contract = {HOSTILE}",
        "contract = '../os'",
        f"contract_version = {HOSTILE}",
        f"url = {HOSTILE}",
        "url = 'file:///etc/passwd'",
        f"odd = {'[' * 5000}",
        f"timeout = 1{'0' * 5000}",
        "timeout = nan",
        '[headers]\nA = "b\\r\\nC: d"',
    ],
    "--known-failures": [
        "IRC-NS-\x1b[2J reason",
        "\u202eIRC reason",
        "*" * 200 + "b reason",
        "IRC-NS-*",
        "[ reason",
        "\0 reason",
    ],
}


@pytest.mark.parametrize(
    ("option", "content"),
    [(option, content) for option, contents in HOSTILE_FILES.items() for content in contents],
)
def test_hostile_file_exits_with_2_and_one_printable_line(
    option: str, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.toml").write_text(content, encoding="utf-8")
    url = [] if "url =" in content else [UNREACHABLE]
    result = CliRunner().invoke(main, ["check", *url, option, "file.toml"])
    message = result.stderr.partition("Error: ")[2]

    assert (
        result.exit_code,
        message.removesuffix("\n").isprintable(),
        0 < len(message) < 1500,
    ) == (
        2,
        True,
        True,
    ), result.output
    assert [path.name for path in tmp_path.iterdir()] == ["file.toml"]


@pytest.mark.parametrize("option", ["--profile", "--known-failures"])
def test_binary_file_exits_with_2_and_is_named(option: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xff\xfe")

    assert (2, f"{path} is not a text file in UTF-8") == error(
        result_of(UNREACHABLE, option, str(path))
    )


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        (
            "X A: b",
            "the header 'X A' has a name that HTTP does not allow; write letters, digits and hyphens",
        ),
        (
            ": b",
            "the header '' has a name that HTTP does not allow; write letters, digits and hyphens",
        ),
        (
            "X-A: é",
            "the header X-A has a value that cannot be sent; use printable ASCII without surrounding spaces or line ends",
        ),
        (
            "X-A: b\nc",
            "the header X-A has a value that cannot be sent; use printable ASCII without surrounding spaces or line ends",
        ),
    ],
)
def test_unsendable_header_exits_with_2(header: str, sentence: str) -> None:
    assert (2, sentence) == error(result_of(UNREACHABLE, "--header", header))


def test_token_with_a_line_end_is_refused_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THEIR_TOKEN", "s3cret-word\n")
    with pytest.raises(
        click.UsageError, match="the header Authorization has a value that cannot be sent"
    ) as exc_info:
        profiles.headers(profiles.Caller(token_env="THEIR_TOKEN"), {})

    assert "s3cret" not in str(exc_info.value)


def test_variable_in_a_profile_header_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THEIR_KEY", "s3cret-word")
    path, server = tmp_path / "target.toml", Server()
    with miniature(server) as url:
        path.write_text(f'url = "{url}"\n[headers]\nX-Key = "k ${{THEIR_KEY}}"\n', encoding="utf-8")
        result = result_of("--profile", str(path), "--only", "IRC-CFG-001")

    keys = {
        headers["x-key"] for headers in server.heard if "x-key" in headers
    }  # one check sends requests without headers
    assert ({"k s3cret-word"}, False) == (keys, "s3cret-word" in result.output)


@pytest.mark.parametrize(("option", "expected"), [([], 0.2), (["--timeout", "0.1"], 0.1)])
def test_timeout_option_overrides_the_timeout_of_a_profile(
    option: list[str], expected: float, tmp_path: Path
) -> None:
    path = tmp_path / "target.toml"
    path.write_text(f'url = "{UNREACHABLE}"\ntimeout = 0.2\n', encoding="utf-8")
    profile = profiles.profile(path)
    option_value = check.make_context("check", [*option, "--profile", str(path)]).params["timeout"]
    limits = profiles.LimitOptions(timeout=option_value)

    target = profiles.target_of(
        Target(UNREACHABLE), profile, headers={}, access=DIRECT, limits=limits
    )

    assert expected == target.timeout
