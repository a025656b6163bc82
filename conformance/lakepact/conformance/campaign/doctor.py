"""Whether Spark can run here: Java, pyspark and what it needs, the interpreter of its workers; each with what to do if not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.conformance.campaign.engines import Engine

INSTALL = "pip install 'lakepact[spark]'"
WITHOUT = "or do without Spark: --engine plain"
JAVA = 17  #: the oldest that Spark 4.1 runs on
#: Least version, and the first that is too new.
PACKAGES = {"pyspark": ((4, 1), (4, 2)), "pandas": ((2, 2), (3, 0)), "pyarrow": ((18, 0), (1000, 0))}


class CannotRun(Exception):
    """Spark cannot run here; the message says what to do."""


@dataclass(frozen=True)
class Finding:
    """What was found of one thing that Spark needs."""

    what: str
    well: bool
    says: str


def examined() -> list[Finding]:
    """Everything that Spark needs, as it is here."""
    return [*(_package(name) for name in PACKAGES), _java(), _interpreter()]


def spark_engine(master: str, confs: Sequence[str]) -> Engine:
    """An engine on Spark.

    Raises:
        CannotRun: something is missing here.
        ValueError: a setting is none.
    """
    ill = [finding for finding in examined() if not finding.well]
    if ill:
        raise CannotRun("; ".join(f"{finding.what}: {finding.says}" for finding in ill))
    engine: Engine = import_module("lakepact.conformance.campaign.spark").Spark(master, confs)
    return engine


def _package(name: str) -> Finding:
    least, first_too_new = PACKAGES[name]
    try:
        found = version(name)
    except PackageNotFoundError:
        return Finding(name, False, f"not installed; {INSTALL}, {WITHOUT}")
    numbers = tuple(int(n) for n in re.findall(r"\d+", found)[:2])
    if least <= numbers < first_too_new:
        return Finding(name, True, found)
    wanted = ".".join(map(str, least))
    return Finding(
        name, False, f"{found} is installed, {wanted} or a later one before {first_too_new[0]}.{first_too_new[1]} is needed; {INSTALL}"
    )


def _java() -> Finding:
    home = os.environ.get("JAVA_HOME")
    program = os.path.join(home, "bin", "java") if home else shutil.which("java")  # noqa: PTH118 - as it stands in the environment
    where = f"JAVA_HOME={home}" if home else "PATH"
    advice = f"install Java {JAVA} or later and let JAVA_HOME name its folder, {WITHOUT}"
    if program is None:
        return Finding("Java", False, f"none on PATH; {advice}")
    try:
        said = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=30, check=False).stderr  # noqa: S603 - Java
    except (OSError, subprocess.TimeoutExpired) as wrong:
        return Finding("Java", False, f"{where} leads to one that does not start ({type(wrong).__name__}); {advice}")
    match = re.search(r'version "(\d+)', said)
    if match is None or int(match[1]) < JAVA:
        return Finding("Java", False, f"{where} leads to {'version ' + match[1] if match else 'something else'}; {advice}")
    return Finding("Java", True, said.splitlines()[0])


def _interpreter() -> Finding:
    chosen = os.environ.get("PYSPARK_PYTHON")
    if chosen and shutil.which(chosen) is None:
        return Finding("PYSPARK_PYTHON", False, f"{chosen} is no program; unset it, then workers run {sys.executable}")
    return Finding("PYSPARK_PYTHON", True, chosen or f"not set: workers run {sys.executable}")
