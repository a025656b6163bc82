"""The released integration tests of pyiceberg that a catalog alone can pass, with slashes in names
allowed.
"""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from interop import installed
from interop.served import durable, serving

pytestmark = pytest.mark.clients

HERE = Path(__file__).parent / "pyiceberg"
SOURCES = Path(__file__).parents[1] / "pyiceberg-sources.txt"
SEPARATED = "tests/integration/test_catalog.py::test_rest_custom_namespace_separator"
SLASHES = {"supports_slash_in_identifier": "true"}
LONGEST_RUN = 1800  #: seconds
#: The tests expect a property that no client sends: Iceberg's Java library writes it into each new
#: table.
LIKE_JAVA = """
[warehouses.warehouse]
table-defaults = { "write.parquet.compression-codec" = "zstd" }
"""
DOTS = """
[warehouses.dots]
overrides = { "namespace-separator" = "%2E" }
"""


@pytest.fixture(scope="module")
def interpreter() -> Path:
    return installed.python("pyiceberg", HERE / "requirements.txt")


@pytest.fixture(scope="module")
def sources(interpreter: Path) -> Path:
    """Return the unpacked source distribution."""

    def unpack(place: Path) -> None:
        installed.run_or_fail([str(interpreter), "-m", "ensurepip"])
        pip = [
            str(interpreter),
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary=pyiceberg",
            "--require-hashes",
        ]
        installed.run_or_fail([*pip, f"--requirement={SOURCES}", f"--dest={place}"])
        (archive,) = place.glob("pyiceberg-*.tar.gz")
        with tarfile.open(archive) as archive_file:
            archive_file.extractall(place, filter="data")
        # The tests must import the installed release with its compiled modules.
        (place / archive.name.removesuffix(".tar.gz") / "pyiceberg").rename(place / "not-imported")
        archive.unlink()

    (package,) = installed.once(
        installed.folder() / "pyiceberg-sources", inputs=[SOURCES.read_bytes()], make=unpack
    ).glob("pyiceberg-*")
    return package


def left_out() -> list[str]:
    """Return the deselected tests; the table gives the reason of each."""
    groups = yaml.safe_load((HERE / "left_out.yaml").read_text("utf-8"))
    return [test for group in groups for test in group["tests"]]


def outcomes(
    interpreter: Path,
    sources: Path,
    *tests: str,
    url: str,
    properties: Mapping[str, str],
    report: Path,
) -> dict[str, str]:
    """Return the outcome of each test: `passed`, `skipped`, or the failure."""
    target = {
        "PYICEBERG_TEST_CATALOG": "ours",
        "PYICEBERG_CATALOG__OURS__TYPE": "rest",
        "PYICEBERG_CATALOG__OURS__URI": url,
    }
    environment = {
        "AIMED_AT": url,
        "AIMED_WITH": json.dumps(properties),
        "PYTHONPATH": str(HERE),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    options = [
        "-q",
        "-c",
        "pyproject.toml",
        "-p",
        "aimed_at_ours",
        "-p",
        "no:cacheprovider",
        "-m",
        "integration",
        "--tb=short",
    ]
    ran = subprocess.run(
        [str(interpreter), "-m", "pytest", *options, f"--junit-xml={report}", *tests],
        cwd=sources,
        env={**os.environ, **target, **environment, "AWS_EC2_METADATA_DISABLED": "true"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LONGEST_RUN,
        check=False,
    )
    print(ran.stdout.splitlines()[-1], flush=True)
    assert report.exists(), ran.stdout[-4000:]
    by_test: dict[str, str] = {}
    for case in ET.parse(report).getroot().iter("testcase"):
        wrong = next(
            (failure for kind in ("failure", "error") if (failure := case.find(kind)) is not None),
            None,
        )
        how = (
            "passed"
            if wrong is None and case.find("skipped") is None
            else "skipped"
            if wrong is None
            else wrong.get("message", "")[:400]
        )
        by_test[f"{case.get('classname')}::{case.get('name')}"] = how
    return by_test


def test_integration_tests_of_pyiceberg_pass(
    interpreter: Path, sources: Path, tmp_path: Path
) -> None:
    not_run = [argument for test in [*left_out(), SEPARATED] for argument in ("--deselect", test)]
    (tmp_path / "server.toml").write_text(LIKE_JAVA, "utf-8")
    with serving(tmp_path, f"--config={tmp_path / 'server.toml'}", *durable(tmp_path)) as url:
        by_test = outcomes(
            interpreter,
            sources,
            "tests/integration",
            *not_run,
            url=url,
            properties=SLASHES,
            report=tmp_path / "report.xml",
        )

    assert {name: how for name, how in by_test.items() if how not in {"passed", "skipped"}} == {}
    assert list(by_test.values()).count("passed") == 568


def test_pyiceberg_uses_the_namespace_separator_of_the_server(
    interpreter: Path, sources: Path, tmp_path: Path
) -> None:
    (tmp_path / "server.toml").write_text(DOTS, "utf-8")
    with serving(tmp_path, f"--config={tmp_path / 'server.toml'}", *durable(tmp_path)) as url:
        by_test = outcomes(
            interpreter, sources, SEPARATED, url=url, properties={}, report=tmp_path / "report.xml"
        )

    assert list(by_test.values()) == ["passed"]
