"""Whether Spark can run here: Java, pyspark and what it needs, the interpreter of its workers; each with what to do if not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from lakepact.extras import install

INSTALL = install("campaign-spark")
WITHOUT = "or do without Spark: --engine local"
JAVA = 17  #: the oldest that Spark 4.1 runs on
ENDLESS = (1000, 0)
#: Least version, and the first that is too new.
PACKAGES = {"pyspark": ((4, 1), (4, 2)), "pandas": ((2, 2), (3, 0)), "pyarrow": ((18, 0), ENDLESS)}

#: Further requirements of Spark Connect.
CONNECT = {
    "grpcio": (1, 76),
    "grpcio-status": (1, 76),
    "googleapis-common-protos": (1, 71),
    "zstandard": (0, 25),
}
INSTALL_CONNECT = install("spark-connect")


@dataclass(frozen=True)
class Finding:
    """The result of checking one requirement of Spark."""

    what: str
    well: bool
    sentence: str


def examined(*, remote: bool = False) -> list[Finding]:
    """Everything that Spark needs, as it is here.

    Args:
        remote: what it takes to speak to a Spark Connect server, which has Java and workers itself.
    """
    if remote:
        return [
            *(_package(name) for name in PACKAGES),
            *(_package(name, CONNECT[name]) for name in CONNECT),
        ]
    return [*(_package(name) for name in PACKAGES), _java(), _interpreter()]


def _package(name: str, connect: tuple[int, int] | None = None) -> Finding:
    least, first_too_new = (connect, ENDLESS) if connect else PACKAGES[name]
    install = INSTALL_CONNECT if connect else INSTALL
    try:
        found = version(name)
    except PackageNotFoundError:
        return Finding(name, False, f"not installed; {install}, {WITHOUT}")
    numbers = tuple(int(n) for n in re.findall(r"\d+", found)[:2])
    if least <= numbers < first_too_new:
        return Finding(name, True, found)
    wanted = ".".join(map(str, least))
    before = "" if first_too_new == ENDLESS else f" before {first_too_new[0]}.{first_too_new[1]}"
    return Finding(
        name, False, f"{found} is installed, {wanted} or a later one{before} is needed; {install}"
    )


def _java() -> Finding:
    home = os.environ.get("JAVA_HOME")
    program = os.path.join(home, "bin", "java") if home else shutil.which("java")  # noqa: PTH118 - as it stands in the environment
    where = f"JAVA_HOME={home}" if home else "PATH"
    advice = f"install Java {JAVA} or later and let JAVA_HOME name its folder, {WITHOUT}"
    if program is None:
        return Finding("Java", False, f"none on PATH; {advice}")
    try:
        said = subprocess.run(  # noqa: S603 - Java
            [program, "-version"], capture_output=True, text=True, timeout=30, check=False
        ).stderr
    except (OSError, subprocess.TimeoutExpired) as wrong:
        return Finding(
            "Java",
            False,
            f"{where} leads to one that does not start ({type(wrong).__name__}); {advice}",
        )
    match = re.search(r'version "(\d+)', said)
    if match is None or int(match[1]) < JAVA:
        return Finding(
            "Java",
            False,
            f"{where} leads to {'version ' + match[1] if match else 'something else'}; {advice}",
        )
    return Finding("Java", True, said.splitlines()[0])


def _interpreter() -> Finding:
    chosen = os.environ.get("PYSPARK_PYTHON")
    if chosen and shutil.which(chosen) is None:
        return Finding(
            "PYSPARK_PYTHON",
            False,
            f"{chosen} is no program; unset it, then workers run {sys.executable}",
        )
    return Finding("PYSPARK_PYTHON", True, chosen or f"not set: workers run {sys.executable}")
