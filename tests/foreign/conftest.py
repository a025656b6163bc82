"""Running servers, one at a time, and the table of all outcomes."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from _pytest.terminal import TerminalReporter

from lakepact.client import IcebergCatalog
from lakepact.conformance.fixtures import manifest
from servers_matrix.sharing_servers import BUCKET, PACK, SHARING, TOKEN, serving
from spark_clusters import local_session

from .catalogs import ENVIRONMENT, FOREIGN, Foreign, OpenCatalog, require
from .results import Results
from .sharing_things import SHARING_THINGS, Shared
from .things import THINGS

ROOT = Path(__file__).parents[2]
WRITTEN, PUBLISHED = ROOT / "build", ROOT / "docs" / "matrix"
RESULTS, SHARING_RESULTS = pytest.StashKey[Results](), pytest.StashKey[Results]()
#: The share of the page.
SALES = {
    "name": "sales",
    "schemas": [
        {
            "name": "europe",
            "tables": [
                {
                    "name": "orders",
                    "id": "5d5cc7a5-4b5b-4e3c-9f52-6a5d2a9f3d11",
                    "location": f"s3a://{BUCKET}/orders",
                    "historyShared": True,
                }
            ],
        }
    ],
}


@pytest.fixture(scope="session")
def results(pytestconfig: pytest.Config) -> Results:
    return pytestconfig.stash.setdefault(RESULTS, Results())


@pytest.fixture(scope="module", params=FOREIGN, ids=str)
def foreign_catalog(request: pytest.FixtureRequest, results: Results) -> Iterator[OpenCatalog]:
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
        foreign_catalog = OpenCatalog(foreign, url, catalog, names={})
        yield foreign_catalog
        if "catalog" in foreign_catalog.names:  # of the page, which leaves it open
            foreign_catalog.names["catalog"].close()


@pytest.fixture(scope="session")
def sharing_results(pytestconfig: pytest.Config) -> Results:
    return pytestconfig.stash.setdefault(SHARING_RESULTS, Results())


@pytest.fixture(scope="module")
def shared(sharing_results: Results, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """Yield the official sharing server, in a folder with a profile."""
    folder = tmp_path_factory.mktemp("shared")
    with contextlib.ExitStack() as stack:
        try:
            server = stack.enter_context(serving(folder, [SALES]))
        except (pytest.skip.Exception, RuntimeError) as hindered:
            sharing_results.not_run[SHARING[0].name] = str(hindered)
            raise
        stack.enter_context(contextlib.chdir(folder))
        profile = {
            "shareCredentialsVersion": 1,
            "endpoint": server.url,
            "bearerToken": TOKEN,
        }
        Path("partner.share").write_text(json.dumps(profile), "utf-8")
        shared = Shared(
            server,
            manifest.read(folder / PACK),
            str(folder / "partner.share"),
            names={},
            spark=cache(lambda: stack.enter_context(local_session())),
        )
        yield shared
        if "client" in shared.names:  # of the page, which leaves it open
            shared.names["client"].close()


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Show the tables, and write them; the published ones only if they are complete."""
    for key, name, things, servers in (
        (RESULTS, "foreign.md", THINGS, [foreign.server for foreign in FOREIGN]),
        (SHARING_RESULTS, "foreign-sharing.md", SHARING_THINGS, SHARING[:1]),
    ):
        results = config.stash.get(key, None)
        if results is None:
            continue
        page = results.page(servers)
        terminalreporter.write_line(page)
        WRITTEN.mkdir(exist_ok=True)
        is_complete = results.is_complete(list(things), servers) and results.cells
        for folder in (WRITTEN, *([PUBLISHED] if is_complete else [])):
            (folder / name).write_text(page, "utf-8")
            terminalreporter.write_line(f"written to {folder / name}")
