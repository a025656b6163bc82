"""The shared part of the published matrices of servers and of clients: the loop over their columns,
and packed reports.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import pytest

CHECKED_CODES = frozenset({0, 1, 3})  #: exit codes of a check that has written its report
REPORT, FORMER = "report.jsonl.gz", "former.jsonl.gz"


class Column(Protocol):
    """A server or a client of a matrix."""

    @property
    def name(self) -> str:
        """The name of its folder."""


C = TypeVar("C", bound=Column)


def check_each(
    columns: Sequence[C],
    names: Sequence[str],
    check: Callable[[C], None],
    *,
    write_page: Callable[[], None],
) -> int:
    """Check the named columns, or all, write the page of all reports that exist, and return the
    exit code.

    Args:
        columns: of the matrix.
        names: of the columns to check; none for all.
        check: checks a column and keeps its report; a missing tool or a failed build skips the
            column.
        write_page: writes the page.
    """
    known = [column.name for column in columns]
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.stderr.write(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}\n")
        return 2
    for column in columns:
        if not names or column.name in names:
            try:
                check(column)
            except (
                pytest.skip.Exception,
                pytest.fail.Exception,
                subprocess.TimeoutExpired,
                RuntimeError,
            ) as hindered:
                sys.stderr.write(f"{column.name}: skipped: {hindered}\n")
            else:
                sys.stdout.write(f"{column.name}: checked\n")
    write_page()
    return 0


def run_check(
    arguments: Sequence[str], *, seconds: float, env: Mapping[str, str] | None = None
) -> None:
    """Run a check of the command line.

    Args:
        arguments: of `lakepact`.
        seconds: time limit.
        env: further environment variables.

    Raises:
        RuntimeError: the check wrote no report.
    """
    code = _lakepact(arguments, seconds=seconds, env=env)
    if code not in CHECKED_CODES:
        raise RuntimeError(f"lakepact {' '.join(arguments)} ended with {code}")


def keep(report: Path, place: Path, *, name: str, seconds: float) -> None:
    """Pack a report into a folder, beside the file of known failures that it shows, the report
    before it and the name of the server or client, for the site of results.
    """
    _lakepact(
        ["baseline", str(report), "--out", str(place / "known-failures.txt")], seconds=seconds
    )
    (place / "name.txt").write_text(f"{name}\n", "utf-8")
    if (place / REPORT).exists():
        (place / REPORT).replace(place / FORMER)
    with gzip.GzipFile(place / REPORT, "wb", mtime=0) as packed:
        packed.write(report.read_bytes())


def _lakepact(
    arguments: Sequence[str], *, seconds: float, env: Mapping[str, str] | None = None
) -> int:
    command = [sys.executable, "-m", "lakepact.cli", *arguments]
    return subprocess.run(
        command,
        stdout=subprocess.DEVNULL,
        timeout=seconds,
        env={**os.environ, **(env or {})},
        check=False,
    ).returncode
