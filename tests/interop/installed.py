"""Installation of real clients into a cache folder outside the repository.

A missing tool skips the tests that need it, with a reason in the report; a failed download or build
is a failure.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

CACHE = "LAKEPACT_INTEROP_CACHE"  #: the environment variable of another folder
LONGEST_BUILD = 3600  #: seconds
STAMP = ".made-from"  #: the file that says what a folder was made from
#: Folders of tools that are not on the path.
USUAL = (Path("/usr/local/go/bin"), Path.home() / ".cargo" / "bin")


def folder(*names: str) -> Path:
    """Return a folder of the cache, and create it if it is missing."""
    root = (
        os.environ.get(CACHE)
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lakepact" / "interop"
    )
    path = Path(root, *names)
    path.mkdir(parents=True, exist_ok=True)
    return path


def tool(name: str, *, why: str) -> str:
    """Return the path of a program, or skip the test with the purpose of the program."""
    path = shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), *map(str, USUAL)]))
    if path is None:
        pytest.skip(f"no {name} on this machine: {why}")
    return path


def java() -> str:
    """Return a Java runtime of version 17 or newer."""
    home = os.environ.get("JAVA_HOME")
    runtime = tool(
        str(Path(home, "bin", "java")) if home else "java",
        why="Iceberg's own library is written in it",
    )
    output = subprocess.run(
        [runtime, "-version"], capture_output=True, text=True, check=True
    ).stderr
    version = output.partition('version "')[2].partition('"')[0]
    if int(version.split(".")[0] or 0) < 17:
        pytest.skip(f"Java 17 or newer is needed, {version} was found")
    return runtime


def run_or_fail(
    command: Sequence[str], *, cwd: Path | None = None, env: dict[str, str] | None = None
) -> None:
    """Run a download or a build; a failure shows its output."""
    ran = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LONGEST_BUILD,
        check=False,
    )
    if ran.returncode != 0:
        pytest.fail(
            f"{' '.join(map(str, command[:6]))} … ended with {ran.returncode}:\n{ran.stdout[-4000:]}",
            pytrace=False,
        )


def once(place: Path, *, inputs: Iterable[bytes], make: Callable[[Path], None]) -> Path:
    """Return a folder that is made again only when its inputs change."""
    inputs = list(inputs)
    if not is_current(place, inputs):
        print(f"setting up {place} (once)", flush=True)
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        make(place)
        (place / STAMP).write_text(_key(inputs), "utf-8")
    return place


def is_current(place: Path, inputs: Iterable[bytes]) -> bool:
    """Return whether `once` has made a folder from these inputs."""
    stamp = place / STAMP
    return stamp.exists() and stamp.read_text("utf-8") == _key(inputs)


def _key(inputs: Iterable[bytes]) -> str:
    return hashlib.sha256(b"\0".join(inputs)).hexdigest()


def python(name: str, requirements: Path) -> Path:
    """Return the interpreter of a virtual environment of exactly these packages."""

    def make(place: Path) -> None:
        uv = shutil.which("uv")
        if uv:
            run_or_fail(
                [uv, "venv", "--quiet", "--python", sys.executable, "--clear", str(place / "venv")]
            )
            run_or_fail(
                [
                    uv,
                    "pip",
                    "install",
                    "--quiet",
                    "--python",
                    str(place / "venv/bin/python"),
                    "--no-deps",
                    "-r",
                    str(requirements),
                ]
            )
        else:
            run_or_fail([sys.executable, "-m", "venv", str(place / "venv")])
            run_or_fail(
                [
                    str(place / "venv/bin/python"),
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--no-deps",
                    "-r",
                    str(requirements),
                ]
            )

    version = f"{sys.version_info[0]}.{sys.version_info[1]}".encode()
    return (
        once(folder("python") / name, inputs=[requirements.read_bytes(), version], make=make)
        / "venv"
        / "bin"
        / "python"
    )


def jars(pom: Path, *, goal_arguments: Sequence[str] = ()) -> str:
    """Return the class path of a Maven project file."""
    maven = tool("mvn", why="it resolves the jars of Iceberg's own library")

    def make(place: Path) -> None:
        goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
        run_or_fail(
            [
                maven,
                "-B",
                "-q",
                "-f",
                str(pom),
                *goal_arguments,
                goal,
                f"-Dmdep.outputFile={place / 'classpath'}",
            ]
        )

    name = hashlib.sha256(
        "\0".join([str(pom.name), pom.parent.name, *goal_arguments]).encode()
    ).hexdigest()[:12]
    place = folder("jars") / f"{pom.parent.name}-{name}"
    path = once(place, inputs=[pom.read_bytes()], make=make) / "classpath"
    if not all(Path(jar).exists() for jar in path.read_text("utf-8").split(os.pathsep)):
        shutil.rmtree(place)
        return jars(pom, goal_arguments=goal_arguments)
    return path.read_text("utf-8")
