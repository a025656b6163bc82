"""Clients of the matrix: the command that runs each program, built when it is needed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from interop import installed

HERE = Path(__file__).parent
TESTS = HERE.parent
PROGRAMS = TESTS.parent / "examples" / "clients"
OWN = TESTS / "conformance" / "clients"
PINS = TESTS / "interop" / "clients"  #: the versions of Python clients
ICEBERG, SHARING = "iceberg_rest", "delta_sharing"
SECONDS = 60  #: that a task may take


@dataclass(frozen=True)
class ClientProgram:
    """A client of the matrix.

    Args:
        name: of its folder in docs/matrix/clients.
        title: its name in the page.
        version: of the client.
        contract: the contract that it speaks.
        command: builds the program and returns its command line.
        seconds: time limit of a task; above the sum of the client's own waits between its attempts.
        threads: public threads about findings, by requirement.
    """

    name: str
    title: str
    version: str
    contract: str
    command: Callable[[], Sequence[str]]
    seconds: int = SECONDS
    threads: Mapping[str, str] = field(default_factory=dict, compare=False)


def _python(name: str, requirements: Path, program: str) -> Callable[[], Sequence[str]]:
    return lambda: [
        str(installed.python(name, requirements)),
        "-W",
        "ignore",
        str(PROGRAMS / program),
    ]


def _own(program: str) -> Callable[[], Sequence[str]]:
    return lambda: [sys.executable, str(OWN / program)]


def iceberg_go() -> Sequence[str]:
    """Build the program for iceberg-go."""
    go, source = installed.tool("go", why="iceberg-go is built with it"), PROGRAMS / "iceberg-go"

    def build(place: Path) -> None:
        installed.run_or_fail([go, "build", "-o", str(place / "client"), "."], cwd=source)

    files = sorted(path for path in source.iterdir() if path.is_file())
    place = installed.once(
        installed.folder() / "iceberg-go-client",
        inputs=(file.read_bytes() for file in files),
        make=build,
    )
    return [str(place / "client")]


def iceberg_rust() -> Sequence[str]:
    """Build the program for iceberg-rust."""
    cargo, target = (
        installed.tool("cargo", why="iceberg-rust is built with it"),
        installed.folder("cargo"),
    )
    installed.run_or_fail(
        [cargo, "build", "--quiet", "--locked"],
        cwd=PROGRAMS / "iceberg-rust",
        env={"CARGO_TARGET_DIR": str(target)},
    )
    return [str(target / "debug" / "iceberg-rust-client")]


def iceberg_java() -> Sequence[str]:
    """Compile the program for Iceberg's client in Java."""
    java, compiler = (
        installed.java(),
        installed.tool("javac", why="the program for Iceberg's client in Java is compiled with it"),
    )
    source, path = (
        PROGRAMS / "iceberg-java" / "Client.java",
        installed.jars(PROGRAMS / "iceberg-java" / "pom.xml"),
    )

    def build(place: Path) -> None:
        installed.run_or_fail([compiler, "-proc:none", "-cp", path, "-d", str(place), str(source)])

    inputs = [source.read_bytes(), path.encode()]
    classes = installed.once(installed.folder() / "iceberg-java-client", inputs=inputs, make=build)
    return [
        java,
        "-Xmx400m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        os.pathsep.join([str(classes), path]),
        "Client",
    ]


def iceberg_js() -> Sequence[str]:
    """Install iceberg-js beside its program."""
    node, npm = (installed.tool(name, why="iceberg-js runs on it") for name in ("node", "npm"))
    program, lock = PROGRAMS / "iceberg-js" / "client.mjs", PINS / "iceberg-js"
    files = [program, lock / "package.json", lock / "package-lock.json"]

    def install(place: Path) -> None:
        for file in files:
            shutil.copy(file, place)
        installed.run_or_fail([npm, "ci", "--silent", "--no-audit", "--no-fund"], cwd=place)

    place = installed.once(
        installed.folder() / "iceberg-js-client",
        inputs=(file.read_bytes() for file in files),
        make=install,
    )
    return [node, str(place / "client.mjs")]


def spark() -> Sequence[str]:
    """Install Spark and Iceberg's jars for it."""
    java = installed.java()
    jars = installed.jars(PINS / "spark" / "pom.xml").replace(os.pathsep, ",")
    python = installed.python("spark-client", HERE / "spark.txt")
    home = Path(java).resolve().parents[1]
    return [
        "env",
        f"JAVA_HOME={home}",
        f"SPARK_JARS={jars}",
        str(python),
        "-W",
        "ignore",
        str(PROGRAMS / "spark_iceberg_client.py"),
    ]


JAVA_THREADS = {"IRC-CLI-005": "apache/iceberg#17759", "IRC-CLI-029": "apache/iceberg#17250"}

#: The clients of the matrix, in the order of its columns.
CLIENTS = (
    ClientProgram(
        "pyiceberg",
        "pyiceberg",
        "0.12.0",
        ICEBERG,
        _python("pyiceberg", PINS / "pyiceberg/requirements.txt", "pyiceberg_client.py"),
        threads={
            "IRC-CLI-027": "apache/iceberg-python#1113",
            "IRC-CLI-050": "apache/iceberg-python#2823",
        },
    ),
    ClientProgram(
        "iceberg-java",
        "Iceberg Java",
        "1.12.0",
        ICEBERG,
        iceberg_java,
        seconds=90,
        threads=JAVA_THREADS,
    ),
    ClientProgram("iceberg-go", "iceberg-go", "0.7.0", ICEBERG, iceberg_go),
    ClientProgram(
        "iceberg-rust",
        "iceberg-rust",
        "0.10.1",
        ICEBERG,
        iceberg_rust,
        threads={
            "IRC-CLI-011": "apache/iceberg-rust#2794",
            "IRC-CLI-012": "apache/iceberg-rust#2794",
            "IRC-CLI-025": "apache/iceberg-rust#301",
            "IRC-CLI-072": "apache/iceberg-rust#3075",
            "IRC-TBL-CRED-003": "apache/iceberg-rust#2661",
            "IRC-TBL-LOAD-013": "apache/iceberg-rust#2661",
        },
    ),
    ClientProgram("iceberg-js", "iceberg-js", "1.0.0", ICEBERG, iceberg_js),
    ClientProgram(
        "duckdb",
        "DuckDB",
        "1.4.4",
        ICEBERG,
        _python("duckdb", PINS / "duckdb/requirements.txt", "duckdb_client.py"),
        threads={
            "IRC-CLI-013": "duckdb/duckdb-iceberg#684",
            "IRC-CLI-014": "duckdb/duckdb-iceberg#1145",
            "IRC-CLI-025": "duckdb/duckdb-iceberg#705",
            "IRC-CLI-072": "duckdb/duckdb-iceberg#958",
        },
    ),
    ClientProgram(
        "spark",
        "Spark 4.1.4 with Iceberg",
        "1.11.0",
        ICEBERG,
        spark,
        seconds=120,
        threads=JAVA_THREADS,
    ),
    ClientProgram(
        "lakepact-catalog",
        "lakepact, catalog client",
        "0.1.0",
        ICEBERG,
        _own("lakepact_catalog_client.py"),
    ),
    ClientProgram(
        "lakepact-rows",
        "lakepact, rows",
        "0.1.0",
        ICEBERG,
        lambda: [sys.executable, str(PROGRAMS / "lakepact_client.py")],
    ),
    ClientProgram(
        "delta-sharing",
        "Delta Sharing, Python connector",
        "1.4.2",
        SHARING,
        _python("delta-sharing", HERE / "delta-sharing.txt", "delta_sharing_client.py"),
        seconds=150,
        threads={"DS-CLI-10": "delta-io/delta-sharing#736"},
    ),
    ClientProgram(
        "lakepact-sharing",
        "lakepact, sharing client",
        "0.1.0",
        SHARING,
        _own("lakepact_sharing_client.py"),
    ),
)
