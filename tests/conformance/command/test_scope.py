"""A report of a part of the contract says so, and one that judged nothing is not conformant."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from lakepact.conformance.commands.check import check
from lakepact.conformance.report import badge
from lakepact.conformance.report.outline import Outline
from lakepact.reference_server import running


def formats(tmp_path: Path, *options: str) -> tuple[int, str, str, str]:
    """Return the exit code, the title of the badge, the heading in Markdown, the name in JUnit."""
    files = {kind: tmp_path / f"report.{kind}" for kind in ("badge", "md", "junit")}
    reports = [word for kind, file in files.items() for word in ("--report", f"{kind}={file}")]
    with running(contract="iceberg_rest", warehouse="memory:") as server:
        result = CliRunner().invoke(check, [server.url, *options, *reports])
    svg = ET.fromstring(files["badge"].read_text())
    (title,) = (part.text or "" for part in svg if part.tag.endswith("title"))
    name = ET.fromstring(files["junit"].read_text()).attrib["name"]
    return result.exit_code, title, files["md"].read_text().partition("\n")[0], name


def test_report_of_chosen_requirements_names_them(tmp_path: Path) -> None:
    part = "only IRC-CFG-001"

    assert formats(tmp_path, "--only", "IRC-CFG-001") == (
        0,
        f"iceberg_rest 1.10.0: {part}: 1 of 1",
        f"# Apache Iceberg REST Catalog API 1.10.0: conformant, {part}",
        f"iceberg_rest 1.10.0, {part}",
    )


def test_run_without_a_judged_requirement_is_incomplete(tmp_path: Path) -> None:
    code, title, heading, _ = formats(tmp_path, "--only", "IRC-TBL-DROP-013")

    assert code == 3
    assert title.endswith("only IRC-TBL-DROP-013: incomplete, 0 of 1")
    assert "incomplete" in heading


@pytest.mark.parametrize(
    ("only", "text"),
    [
        ([], "conformant"),
        (["--quick"], "quick: 60 of 60"),
        (["a", "b", "c", "d"], "only a, b and 2 more: 60 of 60"),
    ],
)
def test_badge_names_the_part_that_was_judged(only: list[str], text: str) -> None:
    counts = dict.fromkeys(("fail", "unexpected-pass", "known-fail"), 0)
    footer = {"verdict": "conformant", "counts": {**counts, "pass": 60, "not-offered": 7}}

    assert badge.verdict(Outline({"only": only}, [], [], {}, footer)) == text
