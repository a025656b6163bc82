"""Reports of a faulty server: their schema, their baseline of known failures, and their badge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from jsonschema_rs import Draft202012Validator

from faulty import mutants
from lakepact.cli import main
from lakepact.conformance.report import badge, lines
from lakepact.reference_server import running

SCHEMA = json.loads(lines.SCHEMA.read_bytes())
FAULTS = (
    "drops-what-has-children",
    "refuses-commits-without-updates",
)  #: break IRC-NS-DROP-005 (MUST) and IRC-COM-012 (SHOULD)
ONLY = ("--only", "IRC-NS-DROP-*", "--only", "IRC-COM-012")


@pytest.fixture(scope="module")
def broken() -> Iterator[str]:
    with running(warehouse="memory:", faults=mutants(FAULTS)) as server:
        yield server.url


@pytest.fixture(scope="module")
def correct() -> Iterator[str]:
    with running(warehouse="memory:") as server:
        yield server.url


def lakepact(*words: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(main, [str(word) for word in words])
    return done.exit_code, done.output


def checked(url: str, folder: Path, *words: str | Path) -> tuple[int, list[dict[str, Any]]]:
    """Check a server; return the exit code and the lines of the report, which is in
    `folder/report.jsonl`.
    """
    code, _ = lakepact("check", url, *ONLY, "--report", f"jsonl={folder / 'report.jsonl'}", *words)
    return code, lines.read(folder / "report.jsonl")


def ids(file: Path) -> list[str]:
    return [
        line.split()[0]
        for line in file.read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    ]


@pytest.mark.parametrize("words", [(), ("--strict",)], ids=["default", "strict"])
def test_lines_of_reports_fit_their_schema(
    broken: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    valid = Draft202012Validator(SCHEMA)
    _, report = checked(broken, tmp_path, *words)
    lakepact("baseline", tmp_path / "report.jsonl", "--out", tmp_path / "known.txt")
    _, known = checked(broken, tmp_path, "--known-failures", tmp_path / "known.txt", *words)
    lakepact("check", "http://127.0.0.1:1", "--report", f"jsonl={tmp_path / 'stopped.jsonl'}")

    written = [*report, *known, *lines.read(tmp_path / "stopped.jsonl")]

    assert [(error.message, line) for line in written for error in valid.iter_errors(line)] == []
    assert {line["line"] for line in report} <= {
        SCHEMA["$defs"][ref["$ref"].rpartition("/")[2]]["properties"]["line"]["const"]
        for ref in SCHEMA["oneOf"]
    }


def test_version_of_the_schema_is_that_of_reports() -> None:
    assert (SCHEMA["$defs"]["HeaderLine"]["properties"]["report"]["const"], SCHEMA["$id"]) == (
        lines.REPORT_VERSION,
        f"urn:lakepact:report:{lines.REPORT_VERSION}",
    )


@pytest.mark.parametrize(
    ("words", "listed"),
    [((), ["IRC-NS-DROP-005"]), (("--strict",), ["IRC-COM-012", "IRC-NS-DROP-005"])],
)
def test_baseline_makes_the_same_run_conformant(
    broken: str, tmp_path: Path, words: tuple[str, ...], listed: list[str]
) -> None:
    code, _ = checked(broken, tmp_path, *words)

    written = lakepact("baseline", tmp_path / "report.jsonl", "--out", tmp_path / "known.txt")
    again, _ = checked(broken, tmp_path, "--known-failures", tmp_path / "known.txt", *words)

    assert (code, written, again) == (1, (0, ""), 0)
    assert sorted(ids(tmp_path / "known.txt")) == listed


def test_baseline_of_a_repaired_server_fails(broken: str, correct: str, tmp_path: Path) -> None:
    checked(broken, tmp_path)
    lakepact("baseline", tmp_path / "report.jsonl", "--out", tmp_path / "known.txt")

    code, report = checked(correct, tmp_path, "--known-failures", tmp_path / "known.txt")

    assert (code, report[-1]["counts"]["unexpected-pass"]) == (1, 1)


def test_baseline_holds_evidence(broken: str, tmp_path: Path) -> None:
    checked(broken, tmp_path)

    _, printed = lakepact("baseline", tmp_path / "report.jsonl")

    evidence = (
        "returned 204",
        "expected  status 409",
        "actual    status 204",
        "clause    openapi.yaml#/paths/",
        broken,
    )
    assert [text for text in evidence if text not in printed] == []
    assert "\nIRC-NS-DROP-005  not examined yet: expected status 409" in printed


def test_baseline_keeps_reasons(broken: str, tmp_path: Path) -> None:
    (tmp_path / "known.txt").write_text(
        "IRC-NS-DROP-*  children go with their parent here, ticket 4711\n", encoding="utf-8"
    )
    checked(broken, tmp_path, "--known-failures", tmp_path / "known.txt")

    _, printed = lakepact("baseline", tmp_path / "report.jsonl")

    assert "\nIRC-NS-DROP-005  children go with their parent here, ticket 4711\n" in printed


def test_baseline_of_an_incomplete_report_exits_with_3(tmp_path: Path) -> None:
    lakepact("check", "http://127.0.0.1:1", "--report", f"jsonl={tmp_path / 'report.jsonl'}")

    code, printed = lakepact("baseline", tmp_path / "report.jsonl")

    assert (code, "the report is incomplete" in printed) == (3, True)


def test_baseline_of_another_file_exits_with_2(tmp_path: Path) -> None:
    (tmp_path / "report.jsonl").write_text("{}\n", encoding="utf-8")

    assert lakepact("baseline", tmp_path / "report.jsonl")[0] == 2


def test_badge_shows_the_verdict(broken: str, correct: str, tmp_path: Path) -> None:
    said = []
    for url in (broken, correct):
        checked(url, tmp_path, "--report", f"badge={tmp_path / 'badge.svg'}")
        said.append(ET.parse(tmp_path / "badge.svg").getroot().get("aria-label"))

    part = "iceberg_rest 1.10.0: only IRC-NS-DROP-*, IRC-COM-012"
    assert said == [f"{part}: 1 failing", f"{part}: 10 of 10"]


def test_badge_loads_nothing(correct: str, tmp_path: Path) -> None:
    _, report = checked(correct, tmp_path)

    assert badge.svg(report).count("http") == 1  # the name space of SVG
