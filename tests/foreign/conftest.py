"""Running servers, one at a time, and the table of all outcomes."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.terminal import TerminalReporter

from lakepact.client import IcebergCatalog

from .catalogs import ENVIRONMENT, FOREIGN, Foreign, Opened, require
from .results import Results
from .things import THINGS

ROOT = Path(__file__).parents[2]
WRITTEN = ROOT / "build" / "foreign.md"
PUBLISHED = ROOT / "docs" / "matrix" / "foreign.md"
RESULTS = pytest.StashKey[Results]()


@pytest.fixture(scope="session")
def results(pytestconfig: pytest.Config) -> Results:
    return pytestconfig.stash.setdefault(RESULTS, Results())


@pytest.fixture(scope="module", params=FOREIGN, ids=str)
def opened(request: pytest.FixtureRequest, results: Results) -> Iterator[Opened]:
    """Yield the catalog of one server after the other."""
    foreign: Foreign = request.param
    with contextlib.ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="lakepact-", ignore_cleanup_errors=True)
        )
        try:
            require(foreign)
            url = stack.enter_context(foreign.server.start(Path(folder, "server")))
        except (pytest.skip.Exception, pytest.fail.Exception, RuntimeError) as hindered:
            results.not_run[foreign.server.name] = str(hindered)
            raise
        catalog = stack.enter_context(IcebergCatalog(url, **foreign.arguments))
        opened = Opened(foreign, url, catalog, names={})
        yield opened
        if "catalog" in opened.names:  # of the page, which leaves it open
            opened.names["catalog"].close()


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Show the table, and write it; the published one only if it is complete."""
    results = config.stash.get(RESULTS, None)
    if results is None:
        return
    page = results.page(FOREIGN)
    terminalreporter.write_line(page)
    WRITTEN.parent.mkdir(exist_ok=True)
    for path in (WRITTEN, *([PUBLISHED] if results.is_complete(list(THINGS), FOREIGN) else [])):
        path.write_text(page, "utf-8")
        terminalreporter.write_line(f"written to {path}")
