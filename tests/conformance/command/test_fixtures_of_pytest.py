"""The fixtures `lakepact_server`, `lakepact_catalog` and `lakepact_share`, in the tests of another
project.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from lakepact.extras import install

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs tests in an empty folder, in an interpreter that may lack
    libraries.
    """

    def run(
        source: str, *words: str, without: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        (tmp_path / "test_it.py").write_text(source, "utf-8")
        code = f"import sys; sys.modules |= dict.fromkeys({without!r}); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
        others = (
            f"-pno:{plugin}"
            for plugin in ("cacheprovider", "schemathesis", "hypothesispytest", "anyio", "xdist")
        )  # their imports take a second
        words = ("-q", *others, "--strict-markers", *words)
        return subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_catalog_fixture_is_an_empty_catalog_of_each_test(run: Run) -> None:
    process = run("""
import pytest

@pytest.mark.parametrize("turn", [1, 2])
def test_catalog(lakepact_catalog, lakepact_server, turn):
    assert list(lakepact_catalog.list_namespaces()) == []
    lakepact_catalog.create_namespace("sales")
    assert lakepact_server.url.startswith("http://127.0.0.1:")
""")

    assert (process.returncode, process.stdout.splitlines()[-1].startswith("2 passed")) == (0, True)


def test_marker_switches_faults_on(run: Run) -> None:
    process = run("""
import pytest
from lakepact.client import IcebergCatalog, NO_RETRIES, ServerError

pytestmark = pytest.mark.lakepact(fault="listNamespaces.answers-503")

@pytest.mark.lakepact(fault=["createNamespace.answers-500"], contract_version="1.11.0")
def test_outage(lakepact_server):
    catalog = IcebergCatalog(lakepact_server.url, retries=NO_RETRIES)
    for call in (lambda: list(catalog.list_namespaces()), lambda: catalog.create_namespace("a")):
        with pytest.raises(ServerError):
            call()
    assert lakepact_server.service.contract.version == "1.11.0"
""")

    assert (process.returncode, process.stdout.splitlines()[-1].startswith("1 passed")) == (
        0,
        True,
    ), process.stdout


def test_unknown_fault_is_an_error_with_its_name(run: Run) -> None:
    process = run(
        "import pytest\n@pytest.mark.lakepact(fault='listNamespaces.no-such')\ndef test_it(lakepact_server): pass\n"
    )

    assert (process.returncode, "UnknownFault" in process.stdout, "no-such" in process.stdout) == (
        1,
        True,
        True,
    )


def test_share_fixture_reads_the_fixture_tables(run: Run) -> None:
    process = run("""
def test_rows(lakepact_share, lakepact_catalog):
    share = next(iter(lakepact_share.shares()))
    assert list(lakepact_share.all_tables(share.name))
    assert list(lakepact_catalog.list_namespaces()) == []
""")

    assert (process.returncode, process.stdout.splitlines()[-1].startswith("1 passed")) == (
        0,
        True,
    ), process.stdout


@pytest.mark.parametrize(
    ("fixture", "library", "extra"),
    [("lakepact_server", "uvicorn", "server"), ("lakepact_share", "deltalake", "delta")],
)
def test_missing_library_is_named_with_its_extra(
    run: Run,
    fixture: str,
    library: str,
    extra: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    process = run(f"def test_it({fixture}): pass\n", without=(library,))

    assert f"{fixture} needs {library}, which is not installed: {install(extra)}" in process.stdout


def test_server_fixture_imports_no_conformance_suite(run: Run) -> None:
    process = run("""
import sys

def test_it(lakepact_catalog):
    loaded = {name for name in sys.modules if name.startswith("lakepact.conformance.")}
    assert loaded == {"lakepact.conformance.evidence", "lakepact.conformance.evidence.extras"}
""", without=("rich",))  # fmt: skip

    assert (process.returncode, process.stdout.splitlines()[-1].startswith("1 passed")) == (
        0,
        True,
    ), process.stdout
