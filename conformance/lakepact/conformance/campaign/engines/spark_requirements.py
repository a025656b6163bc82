"""Requirements of Spark on this machine: Java, pyspark with its packages, the interpreter of
workers.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

from lakepact.extras import install

INSTALL = install("campaign-spark")
WITHOUT = "or do without Spark: --engine local"
JAVA = 17  #: the oldest that Spark 4.1 runs on
ENDLESS = (1000, 0)
#: Least version, and the first that is too new.
PACKAGES = {"pyspark": ((4, 1), (4, 2)), "pandas": ((2, 2), (3, 0)), "pyarrow": ((18, 0), ENDLESS)}

#: Further packages of Spark Connect, with their least versions.
CONNECT = {
    "grpcio": (1, 76),
    "grpcio-status": (1, 76),
    "googleapis-common-protos": (1, 71),
    "zstandard": (0, 25),
}
INSTALL_CONNECT = install("spark-connect")


def problems(*, remote: bool = False) -> list[str]:
    """Return a sentence with advice for each requirement that this machine does not meet.

    Args:
        remote: Spark runs behind Spark Connect, which has Java and workers itself.
    """
    results = [_package(name, *PACKAGES[name], INSTALL) for name in PACKAGES]
    if remote:
        results += [_package(name, CONNECT[name], ENDLESS, INSTALL_CONNECT) for name in CONNECT]
    else:
        results += [_java(), _interpreter()]
    return [problem for problem in results if problem]


def _package(
    name: str, least: tuple[int, int], first_too_new: tuple[int, int], advice: str
) -> str | None:
    try:
        present = version(name)
    except PackageNotFoundError:
        return f"{name}: not installed; {advice}, {WITHOUT}"
    if least <= tuple(int(n) for n in re.findall(r"\d+", present)[:2]) < first_too_new:
        return None
    before = "" if first_too_new == ENDLESS else f" before {first_too_new[0]}.{first_too_new[1]}"
    return (
        f"{name}: {present} is installed, {'.'.join(map(str, least))} or a later one{before}"
        f" is needed; {advice}"
    )


def _java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    program = os.path.join(home, "bin", "java") if home else shutil.which("java")  # noqa: PTH118 - as it stands in the environment
    advice = f"install Java {JAVA} or later and let JAVA_HOME name its folder, {WITHOUT}"
    if program is None:
        return f"Java: none on PATH; {advice}"
    place = f"Java: JAVA_HOME={home}" if home else "Java: PATH"
    try:
        output = subprocess.run(  # noqa: S603 - Java
            [program, "-version"], capture_output=True, text=True, timeout=30, check=False
        ).stderr
    except (OSError, subprocess.TimeoutExpired) as wrong:
        return f"{place} leads to one that does not start ({type(wrong).__name__}); {advice}"
    match = re.search(r'version "(\d+)', output)
    if match and int(match[1]) >= JAVA:
        return None
    return f"{place} leads to {'version ' + match[1] if match else 'something else'}; {advice}"


def _interpreter() -> str | None:
    program = os.environ.get("PYSPARK_PYTHON")
    if program and shutil.which(program) is None:
        return (
            f"PYSPARK_PYTHON: {program} is no program; unset it, then workers run {sys.executable}"
        )
    return None
