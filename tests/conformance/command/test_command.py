"""The command as a whole: its list of verbs, and requirement of calls that lead nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from lakepact.cli import main
from lakepact.cli.verbs import VERBS, Verb
from lakepact.reference_server import running
from miniatures import miniature

if TYPE_CHECKING:
    import click

NOBODY = "http://127.0.0.1:1"  #: where nothing listens


def test_the_list_of_verbs_needs_no_extra_but_that_of_the_server() -> None:
    absent = "import sys; sys.modules |= dict.fromkeys(('rich', 'hypothesis', 'schemathesis', 'deltalake', 'duckdb'))"
    code = f"{absent}; from lakepact.cli import main; main(['--help'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert [verb for verb in VERBS if f"\n  {verb} " not in done.stdout] == []


def test_who_does_not_fuzz_waits_for_no_fuzzer_to_be_imported() -> None:
    fuzzers = "{'hypothesis', 'schemathesis', 'duckdb', 'pyarrow'}"
    code = f"import sys, lakepact.conformance.commands.check as _; print({fuzzers} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"


def broken_by(error: BaseException) -> Verb:
    def load() -> click.Command:
        raise error

    return Verb(load, "conformance", "")


def test_verb_that_is_interrupted_before_it_begins_ends_with_3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VERBS, "check", broken_by(KeyboardInterrupt()))
    result = CliRunner().invoke(main, ["check"])

    assert (result.exit_code, result.output) == (3, "lakepact: interrupted\n")


def test_verb_that_breaks_ends_with_3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VERBS, "check", broken_by(RuntimeError("broken")))
    result = CliRunner().invoke(main, ["check"])

    assert (result.exit_code, result.output.splitlines()[-1]) == (3, "RuntimeError: broken")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [("list",), ("check", NOBODY, "--json")])
def test_where_there_is_no_room_for_what_is_said_nobody_is_judged(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([sys.executable, "-m", "lakepact.cli", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert (done.returncode, done.stderr.splitlines()[-1]) == (3, "lakepact: No space left on device")


@pytest.mark.parametrize("words", [("list",), ("list", "--json"), ("contracts", "list"), ("probe", "URL")])
def test_who_reads_no_more_is_told_nothing_and_nobody_is_judged(words: tuple[str, ...]) -> None:
    with running(warehouse="memory:") as server:
        command = [sys.executable, "-m", "lakepact.cli", *(server.url if word == "URL" else word for word in words)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            process.stdout.close()
            complaint = process.stderr.read()

    assert (process.returncode, complaint) == (3, "")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_lacks_letters_is_shown_their_numbers(encoding: str) -> None:
    words = ("check", "--only", "IRC-NS-GET-005", "--only", "IRC-NS-GET-003", "--fault", "loadNamespaceMetadata.answers-200")
    command = [sys.executable, "-m", "lakepact.cli", *words]
    done = subprocess.run(command, capture_output=True, encoding=encoding, check=False, env={**os.environ, "PYTHONIOENCODING": encoding})

    assert (done.returncode, done.stderr, "not conformant" in done.stdout) == (1, "", True)


def test_what_lists_nothing_is_wrong_usage() -> None:
    result = CliRunner().invoke(main, ["list", "NO-SUCH-*"])

    assert result.exit_code == 2
    assert "nothing matches NO-SUCH-*" in result.output


@pytest.mark.parametrize("identifier", ["irc-ns-get-005", "IRC-NS-GET-05"])
def test_those_like_what_is_no_requirement_are_named_once(identifier: str) -> None:
    result = CliRunner().invoke(main, ["explain", identifier])

    assert (result.exit_code, result.output.count("IRC-NS-GET-005")) == (2, 1)


def test_reports_are_asked_of_addresses() -> None:
    result = CliRunner().invoke(main, ["metrics", "catalog.example.com"])

    assert result.exit_code == 2
    assert "catalog.example.com is not the address of a server" in result.output


def test_an_address_that_was_never_set_is_not_that_of_the_embedded_server() -> None:
    result = CliRunner().invoke(main, ["check", ""])

    assert result.exit_code == 2
    assert "an empty text is not the address of a server" in result.output


@pytest.mark.parametrize("body", [b"<html></html>", b""])
def test_who_answers_without_reports_is_no_reference_server(body: bytes) -> None:
    with miniature(lambda *_: (200, {}, body)) as url:
        result = CliRunner().invoke(main, ["metrics", url])

    assert result.exit_code == 3
    assert "it is not a lakepact reference server" in result.output


@pytest.mark.parametrize(("verb", "meant"), [("chek", "check"), ("serv", "serve"), ("check-clients", "check-client")])
def test_misspelled_verb_returns_2_and_suggests_the_right_one(verb: str, meant: str) -> None:
    result = CliRunner().invoke(main, [verb])

    assert result.exit_code == 2
    assert f"Did you mean {meant}" in result.output


def test_verb_like_no_other_returns_2_without_a_suggestion() -> None:
    result = CliRunner().invoke(main, ["zzzz"])

    assert (result.exit_code, "Did you mean" in result.output) == (2, False)
