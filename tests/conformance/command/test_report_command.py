"""`lakepact report` shows and converts a report that was written before."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner

from lakepact.cli import main
from lakepact.conformance.report import html, lines

#: A published report, compressed.
PUBLISHED = Path(__file__).parents[3] / "docs" / "matrix" / "lakepact" / "report.jsonl.gz"


def report(*words: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["report", *map(str, words)])
    return result.exit_code, result.output


def test_report_command_prints_the_verdict_of_a_compressed_report() -> None:
    code, output = report(PUBLISHED)

    assert (code, "\nconformant  " in output) == (0, True)


def test_report_command_writes_each_format(tmp_path: Path) -> None:
    kinds = ("html", "jsonl", "junit", "md", "badge")

    code, output = report(
        PUBLISHED, *(word for kind in kinds for word in ("--report", f"{kind}={tmp_path / kind}"))
    )

    assert (code, output, sorted(path.name for path in tmp_path.iterdir())) == (
        0,
        "",
        sorted(kinds),
    )
    assert (tmp_path / "html").read_text("utf-8") == html.html(lines.read(PUBLISHED))
    assert (tmp_path / "jsonl").read_bytes() == gzip.decompress(PUBLISHED.read_bytes())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (PUBLISHED.read_bytes()[:2000], "damaged gzip file"),
        (b"{}", "not of `lakepact check --report jsonl=FILE`"),
    ],
    ids=["cut", "other"],
)
def test_report_command_refuses_what_is_no_report(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    (tmp_path / "report").write_bytes(content)

    code, output = report(tmp_path / "report")

    assert (code, reason in " ".join(output.split())) == (2, True)


def test_folder_as_a_report_is_refused(tmp_path: Path) -> None:
    code, output = report(PUBLISHED, "--report", f"html={tmp_path}")

    assert (code, "is a folder: name a file in it" in output) == (2, True)


def test_report_in_a_missing_folder_is_refused_unless_folders_are_made(tmp_path: Path) -> None:
    options = ("--report", f"badge={tmp_path / 'new' / 'badge.svg'}")

    code, output = report(PUBLISHED, *options)

    assert (code, "--make-folders" in output, (tmp_path / "new").exists()) == (2, True, False)
    assert report(PUBLISHED, *options, "--make-folders") == (0, "")
    assert (tmp_path / "new" / "badge.svg").is_file()
