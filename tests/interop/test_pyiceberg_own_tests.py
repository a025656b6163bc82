"""The released tests of pyiceberg for REST catalogs, on the reference server.

The test of a special namespace separator and the tests of Spark are left out. The tests are
configured by the environment only, which
cannot allow slashes in names: `test_pyiceberg` covers those. The tests of views use a fixed
address, which is replaced by ours.
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
PASSED, SKIPPED = 47, 2
MODULES = ("tests/integration/test_catalog.py", "tests/integration/test_rest_catalog.py")
CHOSEN = "rest_test_catalog or session_catalog or test_rest_list_views or test_rest_create_view or test_rest_drop_view"
ADDRESS = "http://localhost:8181"  #: the address in the modules and in their conftest


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the unpacked source distribution of the installed release."""
    folder = tmp_path_factory.mktemp("sources")
    download = [
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary=pyiceberg",
        "--require-hashes",
        f"--requirement={SOURCES}",
    ]
    subprocess.run([sys.executable, "-m", "pip", *download, f"--dest={folder}"], check=True)
    (archive,) = folder.glob("pyiceberg-*.tar.gz")
    with tarfile.open(archive) as archive_file:
        archive_file.extractall(folder, filter="data")
    package = folder / archive.name.removesuffix(".tar.gz")
    # The tests import the installed package with its compiled modules, not the sources of the same
    # name.
    (package / "pyiceberg").rename(package / "not_imported")
    return package


def test_pyiceberg_passes_its_own_tests_of_rest_catalogs(sources: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    options = [*MODULES, "-m", "integration", "-k", CHOSEN, f"--junit-xml={report}"]
    with running(warehouse=(tmp_path / "warehouse").as_uri()) as server:
        for module in (*MODULES, "tests/conftest.py"):
            path = sources / module
            path.write_text(path.read_text("utf-8").replace(ADDRESS, server.url), "utf-8")
        catalog = {
            "PYICEBERG_CATALOG__TESTED__TYPE": "rest",
            "PYICEBERG_CATALOG__TESTED__URI": server.url,
        }
        ran = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-c",
                "pyproject.toml",
                "-p",
                "no:cacheprovider",
                "-q",
                "--tb=short",
                *options,
            ],
            cwd=sources,
            env={**os.environ, **catalog, "PYICEBERG_TEST_CATALOG": "tested"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    suite = ET.parse(report).getroot().find("testsuite")

    assert suite is not None
    assert (ran.returncode, suite.get("tests"), suite.get("skipped")) == (
        0,
        str(PASSED + SKIPPED),
        str(SKIPPED),
    ), ran.stdout
