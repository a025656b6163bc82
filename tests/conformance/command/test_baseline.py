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
def faulty_url() -> Iterator[str]:
    with running(warehouse="memory:", faults=mutants(FAULTS)) as server:
        yield server.url


@pytest.fixture(scope="module")
def correct() -> Iterator[str]:
    with running(warehouse="memory:") as server:
        yield server.url


def lakepact(*words: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(main, [str(word) for word in words])
    return result.exit_code, result.output


def check(url: str, folder: Path, *words: str | Path) -> tuple[int, list[dict[str, Any]]]:
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
    faulty_url: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    valid = Draft202012Validator(SCHEMA)
    _, report = check(faulty_url, tmp_path, *words)
    lakepact("baseline", tmp_path / "report.jsonl", "--out", tmp_path / "known.txt")
    _, second_report = check(
        faulty_url, tmp_path, "--known-failures", tmp_path / "known.txt", *words
    )
    lakepact("check", "http://127.0.0.1:1", "--report", f"jsonl={tmp_path / 'stopped.jsonl'}")

    every_line = [*report, *second_report, *lines.read(tmp_path / "stopped.jsonl")]

    assert [(error.message, line) for line in every_line for error in valid.iter_errors(line)] == []
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
    ("words", "expected"),
    [((), ["IRC-NS-DROP-005"]), (("--strict",), ["IRC-COM-012", "IRC-NS-DROP-005"])],
)
def test_baseline_makes_the_same_run_conformant(
    faulty_url: str, tmp_path: Path, words: tuple[str, ...], expected: list[str]
) -> None:
    code, _ = check(faulty_url, tmp_path, *words)

    result = lakepact("baseline", tmp_path / "report.jsonl", "--out", tmp_path / "known.txt")
    again, _ = check(faulty_url, tmp_path, "--known-failures", tmp_path / "known.txt", *words)

    assert (code, result, again) == (1, (0, ""), 0)
    assert sorted(ids(tmp_path / "known.txt")) == expected


def test_baseline_of_a_repaired_server_fails(faulty_url: str, correct: str, tmp_path: Path) -> None:
    check(faulty_url, tmp_path)
    lakepact("baseline", tmp_path / "report.jsonl", "--out", tmp_path / "known.txt")

    code, report = check(correct, tmp_path, "--known-failures", tmp_path / "known.txt")

    assert (code, report[-1]["counts"]["unexpected-pass"]) == (1, 1)


def test_baseline_holds_evidence(faulty_url: str, tmp_path: Path) -> None:
    check(faulty_url, tmp_path)

    _, output = lakepact("baseline", tmp_path / "report.jsonl")

    evidence = (
        "returned 204",
        "expected  status 409",
        "actual    status 204",
        "clause    openapi.yaml#/paths/",
        faulty_url,
    )
    assert [text for text in evidence if text not in output] == []
    assert "\nIRC-NS-DROP-005  not examined yet: expected status 409" in output


def test_baseline_keeps_reasons(faulty_url: str, tmp_path: Path) -> None:
    (tmp_path / "known.txt").write_text(
        "IRC-NS-DROP-*  children go with their parent here, ticket 4711\n", encoding="utf-8"
    )
    check(faulty_url, tmp_path, "--known-failures", tmp_path / "known.txt")

    _, output = lakepact("baseline", tmp_path / "report.jsonl")

    assert "\nIRC-NS-DROP-005  children go with their parent here, ticket 4711\n" in output


def test_baseline_of_an_incomplete_report_exits_with_3(tmp_path: Path) -> None:
    lakepact("check", "http://127.0.0.1:1", "--report", f"jsonl={tmp_path / 'report.jsonl'}")

    code, output = lakepact("baseline", tmp_path / "report.jsonl")

    assert (code, "the report is incomplete" in output) == (3, True)


def test_baseline_of_another_file_exits_with_2(tmp_path: Path) -> None:
    (tmp_path / "report.jsonl").write_text("{}\n", encoding="utf-8")

    assert lakepact("baseline", tmp_path / "report.jsonl")[0] == 2


def test_badge_shows_the_verdict(faulty_url: str, correct: str, tmp_path: Path) -> None:
    labels = []
    for url in (faulty_url, correct):
        check(url, tmp_path, "--report", f"badge={tmp_path / 'badge.svg'}")
        labels.append(ET.parse(tmp_path / "badge.svg").getroot().get("aria-label"))

    part = "iceberg_rest 1.10.0: only IRC-NS-DROP-*, IRC-COM-012"
    assert labels == [f"{part}: 1 failing", f"{part}: 10 of 10"]


def test_badge_loads_nothing(correct: str, tmp_path: Path) -> None:
    _, report = check(correct, tmp_path)

    assert badge.svg(report).count("http") == 1  # the name space of SVG
