"""The command `lakepact`: its verbs, and the exit codes of calls that fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from lakepact.cli import main
from lakepact.cli.verbs import VERBS, Verb
from lakepact.reference_server import running
from miniatures import miniature

UNREACHABLE = "http://127.0.0.1:1"  #: an address without a server


def test_help_works_without_optional_packages() -> None:
    absent = "import sys; sys.modules |= dict.fromkeys(('rich', 'hypothesis', 'schemathesis', 'deltalake', 'duckdb'))"
    code = f"{absent}; from lakepact.cli import main; main(['--help'])"
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert (process.returncode, process.stderr) == (0, "")
    assert [verb for verb in VERBS if f"\n  {verb} " not in process.stdout] == []


def test_check_command_imports_no_fuzzer() -> None:
    fuzzers = "{'hypothesis', 'schemathesis', 'duckdb', 'pyarrow'}"
    code = (
        f"import sys, lakepact.conformance.commands.check as _; print({fuzzers} & set(sys.modules))"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert process.stdout == "set()\n"


def break_verbs(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(_: Verb) -> click.Command:
        raise error

    monkeypatch.setattr(Verb, "load", load)


def test_verb_that_is_interrupted_before_it_begins_exits_with_3(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    break_verbs(KeyboardInterrupt(), monkeypatch)
    result = CliRunner().invoke(main, ["check"])

    assert (result.exit_code, result.output) == (3, "lakepact: interrupted\n")


def test_verb_that_breaks_exits_with_3(monkeypatch: pytest.MonkeyPatch) -> None:
    break_verbs(RuntimeError("broken"), monkeypatch)
    result = CliRunner().invoke(main, ["check"])

    assert (result.exit_code, result.output.splitlines()[-1]) == (3, "RuntimeError: broken")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [("list",), ("check", UNREACHABLE, "--json")])
def test_full_output_device_exits_with_3(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            [sys.executable, "-m", "lakepact.cli", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert (process.returncode, process.stderr.splitlines()[-1]) == (
        3,
        "lakepact: No space left on device",
    )


@pytest.mark.parametrize(
    "words", [("list",), ("list", "--json"), ("contracts", "list"), ("probe", "URL")]
)
def test_closed_stdout_exits_with_3_without_a_message(words: tuple[str, ...]) -> None:
    with running(warehouse="memory:") as server:
        command = [
            sys.executable,
            "-m",
            "lakepact.cli",
            *(server.url if word == "URL" else word for word in words),
        ]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            process.stdout.close()
            complaint = process.stderr.read()

    assert (process.returncode, complaint) == (3, "")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_terminal_without_unicode_gets_the_verdict(encoding: str) -> None:
    words = (
        "check",
        "--only",
        "IRC-NS-GET-005",
        "--only",
        "IRC-NS-GET-003",
        "--fault",
        "loadNamespaceMetadata.answers-200",
    )
    command = [sys.executable, "-m", "lakepact.cli", *words]
    process = subprocess.run(
        command,
        capture_output=True,
        encoding=encoding,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )

    assert (process.returncode, process.stderr, "not conformant" in process.stdout) == (1, "", True)


UNUSABLE = [
    "catalog.example.com",
    "localhost",
    "ftp://catalog.example.com",
    "http://",
    "http://h:99999",
]
ONLY = ("--only", "IRC-CFG-001", "--only", "IRC-CGF-*")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        *(
            ((verb, url), f"{url} is not the address of a server")
            for verb in ("check", "probe")
            for url in UNUSABLE
        ),
        (("probe", "http://h/?q=1"), "is not the address of a server"),
        (("check", ""), "an empty text is not the address of a server"),
        (("check", UNREACHABLE, *ONLY), "nothing matches IRC-CGF-*;"),
        (("check", "--only", "listTabels"), "nothing matches listTabels; did you mean listTables"),
        (("check", "--only", "IRC-CGF-001"), "did you mean IRC-CFG-001"),
        (("explain", "IRC-NS-001"), "did you mean IRC-NS-"),
        (
            ("check", UNREACHABLE, "--report", "html=/"),
            "--report html=/: / is a folder: name a file in it",
        ),
        (("list", "NO-SUCH-*"), "nothing matches NO-SUCH-*"),
        *(
            (("check", UNREACHABLE, "--feature", setting), "write n")
            for setting in ("nesting=maybe", "nesting=", "nesting")
        ),
        (
            ("check", UNREACHABLE, "--contract", "delta_sharing", "--stateful-requests", "10"),
            "delta_sharing has no stateful tests",
        ),
        (("chek",), "Did you mean check"),
        (("serv",), "Did you mean serve"),
        (("check-clients",), "Did you mean check-client"),
    ],
)
def test_wrong_usage_exits_with_2_and_its_reason(words: tuple[str, ...], why: str) -> None:
    result = CliRunner().invoke(main, words)

    assert (result.exit_code, why.lower() in result.output.lower()) == (2, True)


@pytest.mark.parametrize("group", ["campaign", "contracts", "data", "fixtures", "store"])
def test_group_without_a_verb_prints_its_help(group: str) -> None:
    alone, with_help = (CliRunner().invoke(main, [group, *words]) for words in ((), ("--help",)))

    assert (alone.exit_code, alone.output) == (2, with_help.output)


@pytest.mark.parametrize(
    "words", [("check",), ("probe",), ("ls",), ("diff", "--only", "listNamespaces")]
)
def test_web_page_is_reported_as_such(words: tuple[str, ...]) -> None:
    page = (200, {"Content-Type": "text/html; charset=utf-8"}, b"<html></html>")
    with miniature(lambda *_: page) as url:
        urls = [url] * (2 if words[0] == "diff" else 1)
        result = CliRunner().invoke(main, [*words, *urls])

    assert result.exit_code == 3
    assert "this is a web page: the base address of a catalog ends before /v1" in result.output
    assert "/shares" not in result.output


def test_explain_repeats_an_unknown_id_as_typed() -> None:
    result = CliRunner().invoke(main, ["explain", "Nope"])

    assert (result.exit_code, result.output) == (
        2,
        "there is no requirement Nope; see `lakepact list`\n",
    )


def test_explain_takes_ids_in_any_case() -> None:
    result = CliRunner().invoke(main, ["explain", "irc-ns-get-005"])

    assert (result.exit_code, "IRC-NS-GET-005" in result.output) == (0, True)


@pytest.mark.parametrize("identifier", ["irc-ns-get-05", "IRC-NS-GET-905"])
def test_unknown_requirement_exits_with_2_and_suggestions_of_its_area(identifier: str) -> None:
    result = CliRunner().invoke(main, ["explain", identifier])

    suggestions = re.findall(r"IRC-[A-Z-]+\d+", result.output.partition("did you mean")[2])
    assert (result.exit_code, suggestions[0]) == (2, "IRC-NS-GET-005")
    assert {each.rpartition("-")[0] for each in suggestions} == {"IRC-NS-GET"}


def test_unknown_verb_exits_with_2_without_a_suggestion() -> None:
    result = CliRunner().invoke(main, ["zzzz"])

    assert (result.exit_code, "Did you mean" in result.output) == (2, False)
