"""The built wheel: what it installs, and that its command runs from an empty directory."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.distribution

ONE = ("check", "--only", "IRC-NS-DROP-005", "--json")  #: a short run
MAX_MB, MAX_PACKAGES, MAX_HELP_SECONDS = 200, 40, 0.3


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of the wheel that nox built, or of one built now."""
    if "LAKEPACT_WHEEL" in os.environ:
        return str(Path(os.environ["LAKEPACT_WHEEL"]).resolve())
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(["uv", "build", "-q", "--wheel", "-o", out], check=True)
    return str(next(out.glob("*.whl")))


@pytest.fixture(scope="session")
def installed(wheel: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a fresh environment with the extra `conformance`."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run(["uv", "venv", "-q", "--python", sys.executable, folder], check=True)
    python = folder / "bin" / "python"
    subprocess.run(
        [
            "uv",
            "pip",
            "install",
            "-q",
            "--compile-bytecode",
            "--python",
            python,
            f"{wheel}[conformance]",
        ],
        check=True,
    )
    return folder


def judged(printed: str) -> dict[str, str]:
    """Return the outcome of each requirement in JSON lines."""
    lines = [json.loads(line) for line in printed.splitlines()]
    return {line["requirement"]: line["outcome"] for line in lines if line["line"] == "result"}


def test_conformance_extra_is_small(installed: Path) -> None:
    packages = list(installed.glob("lib/*/site-packages/*.dist-info"))
    size = (
        sum(
            file.stat().st_size
            for file in installed.rglob("*")
            if file.is_file() and not file.is_symlink()
        )
        / 2**20
    )

    assert (len(packages) <= MAX_PACKAGES, size <= MAX_MB) == (True, True), (len(packages), size)


def test_help_takes_little_cpu_time(installed: Path, tmp_path: Path) -> None:
    seconds = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [installed / "bin" / "lakepact", "--help"],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    assert min(seconds) <= MAX_HELP_SECONDS


@pytest.mark.parametrize("runner", ["installed", "uvx", "pipx"])
def test_check_reaches_a_verdict_in_an_empty_directory(
    runner: str, wheel: str, installed: Path, tmp_path: Path
) -> None:
    if runner != "installed" and shutil.which(runner) is None:
        pytest.skip(f"{runner} is not installed")
    start = {
        "installed": [str(installed / "bin" / "lakepact")],
        "uvx": ["uvx", "-q", "--from", f"{wheel}[conformance]", "lakepact"],
        "pipx": ["pipx", "run", "-q", "--spec", f"{wheel}[conformance]", "lakepact"],
    }[runner]
    away = {
        key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV"}
    }

    done = subprocess.run(
        [*start, *ONE], cwd=tmp_path, capture_output=True, text=True, check=False, env=away
    )

    assert (done.returncode, judged(done.stdout)) == (0, {"IRC-NS-DROP-005": "pass"}), done.stderr
    assert list(tmp_path.iterdir()) == []
