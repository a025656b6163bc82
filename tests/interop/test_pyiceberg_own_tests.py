"""pyiceberg's own tests of REST catalogs, as the project releases them, on the reference server.

Those that only a server with views, or with a separator of its own for namespaces, can pass are not among them.
They take no configuration but from the environment, where slashes in names cannot be switched on: `test_pyiceberg` tries those.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from lakepact.reference_server import running

pytestmark = pytest.mark.interop

SOURCES = Path(__file__).with_name("pyiceberg-sources.txt")
PASSED, SKIPPED = 38, 2


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source distribution of the release that is installed."""
    folder = tmp_path_factory.mktemp("sources")
    download = ["download", "--quiet", "--no-deps", "--no-binary=pyiceberg", "--require-hashes", f"--requirement={SOURCES}"]
    subprocess.run([sys.executable, "-m", "pip", *download, f"--dest={folder}"], check=True)
    (archive,) = folder.glob("pyiceberg-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    unpacked = folder / archive.name.removesuffix(".tar.gz")
    # The tests import the installed package, whose compiled parts the sources lack; both have one name.
    (unpacked / "pyiceberg").rename(unpacked / "not_imported")
    return unpacked


def test_pyiceberg_passes_its_own_tests_of_rest_catalogs(sources: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    chosen = ["tests/integration/test_catalog.py", "-m", "integration", "-k", "rest_test_catalog", f"--junit-xml={report}"]
    with running(warehouse=(tmp_path / "warehouse").as_uri()) as server:
        catalog = {"PYICEBERG_CATALOG__TESTED__TYPE": "rest", "PYICEBERG_CATALOG__TESTED__URI": server.url}
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-c", "pyproject.toml", "-p", "no:cacheprovider", "-q", "--tb=short", *chosen],
            cwd=sources,
            env={**os.environ, **catalog, "PYICEBERG_TEST_CATALOG": "tested"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    suite = ET.parse(report).getroot().find("testsuite")

    assert suite is not None
    assert (ran.returncode, suite.get("tests"), suite.get("skipped")) == (0, str(PASSED + SKIPPED), str(SKIPPED)), ran.stdout
