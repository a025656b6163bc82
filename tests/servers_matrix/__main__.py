"""The published matrix of catalog servers: `nox -s servers_matrix`, or
`python -m servers_matrix [NAME …]` for some of them.

Each server is started fresh, checked with its committed profile, and stopped. docs/matrix then has
the page, and for each server the report as JSON lines, the file of known failures, and an issue for
the maintainers for each of the gravest causes.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from string import Template

from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report import lines
from lakepact.conformance.report.issue import issue
from published_matrix import check_each, keep, run_check
from servers_matrix.page import page
from servers_matrix.servers import HERE, KEY, RUSTBERG_KEY, SERVERS, CatalogServer
from servers_matrix.sharing_servers import SHARING, TOKEN, TOKEN_VARIABLE

DOCS = HERE.parents[1] / "docs" / "matrix"
CHECK_SECONDS = 2400
WRITTEN = 3  #: causes of a server that get an issue, the gravest


#: The servers of each page.
PAGES = {
    "servers.md": ("Catalog servers, checked", SERVERS),
    "sharing.md": ("Sharing servers, checked", SHARING),
}


def main(names: list[str]) -> int:
    """Check the named servers, or all, and write the pages of all reports that exist; return the
    exit code.
    """

    def write() -> None:
        for name, (title, servers) in PAGES.items():
            _write(DOCS / name, page(DOCS, servers, title=title))

    return check_each((*SERVERS, *SHARING), names, _check, write_page=write)


def _check(server: CatalogServer) -> None:
    with tempfile.TemporaryDirectory(prefix="lakepact-", ignore_cleanup_errors=True) as folder:
        report, files = Path(folder, "report.jsonl"), Path(folder, "server")
        with server.start(files) as url:
            profile = HERE / "profiles" / f"{server.name}.toml"
            command = [
                "check",
                *(
                    [url, *(Template(a).substitute(folder=files) for a in server.arguments)]
                    if url
                    else []
                ),
                "--profile",
                str(profile),
                "--report",
                f"jsonl={report}",
            ]
            run_check(
                command, seconds=CHECK_SECONDS, env={RUSTBERG_KEY: KEY, TOKEN_VARIABLE: TOKEN}
            )
        publish(server, report)


def publish(server: CatalogServer, report: Path) -> None:
    """Keep the report of a server, its known failures, and issues about its gravest causes."""
    place = DOCS / server.name
    place.mkdir(parents=True, exist_ok=True)
    keep(report, place, name=f"{server.title} {server.version}", seconds=CHECK_SECONDS)
    for former in place.glob("issue-*.md"):
        former.unlink()
    report_lines = lines.read(report)
    causes = [
        line for line in report_lines if line["line"] == "cause" and line["outcome"] == Outcome.FAIL
    ]
    for number, cause in enumerate(causes[:WRITTEN], start=1):
        _write(
            place / f"issue-{number}.md",
            issue(report_lines, cause, server=f"{server.title} {server.version}"),
        )


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
