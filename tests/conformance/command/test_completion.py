"""`lakepact completion`: scripts for shells, and what they complete."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from lakepact.cli import main


def completions(*words: str) -> list[str]:
    """Return what bash offers for the last word."""
    environment = {
        "_LAKEPACT_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["lakepact", *words]),
        "COMP_CWORD": str(len(words)),
    }
    return [
        line.partition(",")[2]
        for line in CliRunner().invoke(main, env=environment, prog_name="lakepact").output.split()
    ]


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_completion_prints_a_script_for_each_shell(shell: str) -> None:
    result = CliRunner().invoke(main, ["completion", shell])

    assert (result.exit_code, f"_LAKEPACT_COMPLETE={shell}_complete" in result.output) == (
        0,
        True,
    )


def test_bash_accepts_its_script() -> None:
    script = CliRunner().invoke(main, ["completion", "bash"]).output

    assert (
        subprocess.run(
            ["bash", "-n"], input=script, capture_output=True, text=True, check=False
        ).stderr
        == ""
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("chec",), ["check", "check-client"]),
        (("check", "--known"), ["--known-failures"]),
        (("check", "--contract", "delta"), ["delta_sharing"]),
    ],
)
def test_completion_offers_verbs_options_and_values(
    words: tuple[str, ...], expected: list[str]
) -> None:
    assert completions(*words) == expected


def test_completing_a_verb_imports_none() -> None:
    code = (
        "import sys, lakepact.cli as cli; cli.main.shell_complete(cli.click.Context(cli.main), '');"
        "print([name for name in sys.modules if 'commands' in name])"
    )

    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )
