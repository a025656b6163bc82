"""The published matrix of catalog servers: `nox -s servers_matrix`, or `python -m servers_matrix [NAME …]` for some of them.

Each server is started fresh, checked with its committed profile, and stopped. docs/matrix then has the page, and for each server the
report as JSON lines, the file of known failures, and an issue for the maintainers for each of the gravest causes.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from lakepact.conformance.report import lines
from servers_matrix.issues import issues
from servers_matrix.page import page
from servers_matrix.servers import HERE, KEY, RUSTBERG_KEY, SERVERS, CatalogServer

DOCS = HERE.parents[1] / "docs" / "matrix"
CHECK_SECONDS = 1200


def main(names: list[str]) -> int:
    """Check the named servers, or all, and write the page of all reports that exist; return the exit code."""
    unknown = set(names) - {server.name for server in SERVERS}
    if unknown:
        sys.stderr.write(f"unknown servers: {', '.join(sorted(unknown))}; known: {', '.join(server.name for server in SERVERS)}\n")
        return 2
    for server in SERVERS:
        if not names or server.name in names:
            try:
                _check(server)
            except (pytest.skip.Exception, RuntimeError) as hindered:
                sys.stderr.write(f"{server.name}: skipped: {hindered}\n")
    (DOCS / "servers.md").write_text(page(DOCS, SERVERS), "utf-8")
    return 0


def _check(server: CatalogServer) -> None:
    place = DOCS / server.name
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="lakepact-", ignore_cleanup_errors=True) as folder:
        report = Path(folder, "report.jsonl")
        with server.start(Path(folder, "server")) as url:
            profile = HERE / "profiles" / f"{server.name}.toml"
            command = ["check", *([url] if url else []), "--profile", str(profile), "--report", f"jsonl={report}"]
            code = _lakepact(*command)
        if code not in {0, 1, 3}:
            raise RuntimeError(f"lakepact {' '.join(command)} ended with {code}")
        _lakepact("baseline", str(report), "--out", str(place / "known-failures.txt"))
        with gzip.GzipFile(place / "report.jsonl.gz", "wb", mtime=0) as packed:
            packed.write(report.read_bytes())
        for former in place.glob("issue-*.md"):
            former.unlink()
        for number, text in enumerate(issues(server, lines.read(report)), start=1):
            (place / f"issue-{number}.md").write_text(text, "utf-8")
    sys.stdout.write(f"{server.name}: checked\n")


def _lakepact(*arguments: str) -> int:
    command = [sys.executable, "-m", "lakepact.cli", *arguments]
    env = {**os.environ, RUSTBERG_KEY: KEY}
    return subprocess.run(command, stdout=subprocess.DEVNULL, timeout=CHECK_SECONDS, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
