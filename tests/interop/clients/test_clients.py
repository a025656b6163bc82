"""Unmodified clients of other projects: each does with our catalog all that it can do with any."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from interop import installed
from interop.clients.compressing import compressing
from interop.clients.steps import drive
from interop.served import durable, serving

pytestmark = pytest.mark.clients

HERE = Path(__file__).parent
#: Steps that a server of this contract version does not support.
BEYOND = {"1.10.0": {"register view"}, "1.12.0": set[str]()}


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Yield the address of a durable catalog."""
    with serving(tmp_path, *durable(tmp_path)) as url:
        yield url


def python(name: str, url: str, *arguments: str) -> list[str]:
    """Return the command of a Python client in its own environment."""
    return [
        str(installed.python(name, HERE / name / "requirements.txt")),
        "-W",
        "ignore",
        str(HERE / name / "drive.py"),
        url,
        *arguments,
    ]


def of_python() -> dict[str, str]:
    """Return the environment variables of a Python client, with the path of `client_steps`."""
    return {
        "PYTHONPATH": str(HERE),
        "PYTHONDONTWRITEBYTECODE": "1",
        "DO_NOT_TRACK": "1",
        "DAFT_ANALYTICS_ENABLED": "0",
    }


@pytest.mark.parametrize("version", BEYOND)
@pytest.mark.parametrize("release", ["v0.6.0", "v0.7.0"])
def test_iceberg_go_passes_its_steps(tmp_path: Path, release: str, version: str) -> None:
    go, source = installed.tool("go", why="iceberg-go is built with it"), HERE / "iceberg-go"
    lock = "go.mod" if release == "v0.6.0" else f"{release}.mod"
    inputs = [source / "main.go", source / lock, (source / lock).with_suffix(".sum")]

    def build(place: Path) -> None:
        installed.run_or_fail(
            [go, "build", f"-modfile={lock}", "-o", str(place / "client"), "."], cwd=source
        )

    place = installed.once(
        installed.folder() / f"iceberg-go-{release}",
        inputs=(file.read_bytes() for file in inputs),
        make=build,
    )
    with serving(tmp_path, f"--contract-version={version}", *durable(tmp_path)) as url:
        steps = drive([str(place / "client"), url])

    assert steps.failures.keys() == BEYOND[version], steps.failures
    assert len(steps.successes) == 40 - len(BEYOND[version])


def test_iceberg_rust_passes_its_steps(url: str) -> None:
    cargo, source = (
        installed.tool("cargo", why="iceberg-rust is built with it"),
        HERE / "iceberg-rust",
    )
    target = installed.folder("cargo")
    print("building with cargo (minutes, the first time)", flush=True)
    installed.run_or_fail(
        [cargo, "build", "--quiet", "--locked"], cwd=source, env={"CARGO_TARGET_DIR": str(target)}
    )
    steps = drive([str(target / "debug" / "lakepact-interop"), url])

    assert steps.failures == {}
    assert len(steps.successes) == 50


def test_iceberg_js_passes_its_steps(url: str) -> None:
    node, npm = (installed.tool(name, why="iceberg-js runs on it") for name in ("node", "npm"))
    source = HERE / "iceberg-js"
    names = ("package.json", "package-lock.json", "drive.mjs")

    def install(place: Path) -> None:
        for name in names:
            shutil.copy(source / name, place)
        installed.run_or_fail([npm, "ci", "--silent", "--no-audit", "--no-fund"], cwd=place)

    place = installed.once(
        installed.folder() / "iceberg-js",
        inputs=((source / name).read_bytes() for name in names),
        make=install,
    )
    steps = drive([node, str(place / "drive.mjs"), url])

    assert steps.failures == {}
    assert len(steps.successes) == 38


@pytest.mark.parametrize(("release", "version"), [("1.11.0", "1.10.0"), ("1.12.0", "1.12.0")])
def test_iceberg_java_behind_a_compressing_proxy_passes_its_steps(
    tmp_path: Path, release: str, version: str
) -> None:
    pom, source = tmp_path / "pom.xml", HERE / "iceberg-java" / "Client.java"
    pom.write_text(
        (HERE / "iceberg-java" / "pom.xml")
        .read_text("utf-8")
        .replace("<version>1.11.0<", f"<version>{release}<"),
        "utf-8",
    )
    java, path = installed.java(), installed.jars(pom)
    with (
        serving(tmp_path, f"--contract-version={version}", *durable(tmp_path)) as url,
        compressing(url) as proxy,
    ):
        steps = drive([java, "-Xmx512m", "-cp", path, str(source), proxy.url])
        print(
            f"  {proxy.count('GET', 304)} loads were answered with 304, {proxy.count('GET', 200)} with 200",
            flush=True,
        )

    assert steps.failures == {}
    assert len(steps.successes) == 38
    assert proxy.count("GET", 304) > 0
    assert proxy.seen["GET", 200, True] == proxy.count("GET", 200)


@pytest.mark.parametrize("version", ["1.10.0", "1.12.0"])
def test_spark_passes_its_steps(tmp_path: Path, version: str) -> None:
    pytest.importorskip("pyspark", reason="Spark is installed with the extra `spark`")
    installed.java()
    jars = installed.jars(HERE / "spark" / "pom.xml").replace(os.pathsep, ",")
    with (
        serving(tmp_path, f"--contract-version={version}", *durable(tmp_path)) as url,
        compressing(url) as proxy,
    ):
        steps = drive(
            [sys.executable, "-W", "ignore", str(HERE / "spark" / "drive.py"), proxy.url, jars],
            env=of_python(),
        )
        print(f"  {proxy.requests['POST', 'plan']} scans were planned by the server", flush=True)
        print(
            f"  {proxy.count('GET', 304)} loads were answered with 304, {proxy.count('GET', 200)} with 200",
            flush=True,
        )

    assert steps.failures == {}
    assert len(steps.successes) == 90
    assert proxy.requests["POST", "plan"] >= 8
    assert proxy.count("GET", 304) > 0


def test_duckdb_passes_its_steps(url: str) -> None:
    steps = drive(python("duckdb", url, "warehouse"), env=of_python())

    assert steps.failures == {}
    assert len(steps.successes) == 46
    assert len(steps.limits) == 4


def test_sail_passes_its_steps(url: str) -> None:
    steps = drive(python("sail", url), env=of_python())

    assert steps.failures == {}
    assert len(steps.successes) == 27
    assert len(steps.limits) == 2


def test_daft_and_polars_pass_their_steps(url: str) -> None:
    steps = drive(python("daft-polars", url), env=of_python())

    assert steps.failures == {}
    assert len(steps.successes) == 13
