"""The Dockerfile: its build steps run in a plain directory, since images cannot be built here, and
the result serves.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.distribution

ROOT = Path(__file__).parents[2]
LINES = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text("utf-8")).splitlines()
IGNORE = (ROOT / ".dockerignore").read_text("utf-8").splitlines()


def instructions(name: str) -> list[str]:
    """Return the arguments of all instructions of one kind."""
    return [line.partition(" ")[2] for line in LINES if line.startswith(f"{name} ")]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the folder that stands for `/opt/lakepact`, built by the steps of the first stage from
    the copied files.
    """
    root = tmp_path_factory.mktemp("image")
    source, opt = root / "src", root / "opt"
    source.mkdir()
    for name in (line[1:] for line in IGNORE if line.startswith("!")):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    (extras,) = (argument.partition("=")[2] for argument in instructions("ARG"))
    first_stage = LINES[
        : next(
            n
            for n, line in enumerate(LINES)
            if n and line.startswith("FROM") and "AS build" not in line
        )
    ]
    for line in first_stage:
        if line.startswith("RUN "):
            step = (
                line.removeprefix("RUN ")
                .replace("/opt/lakepact", str(opt))
                .replace("$EXTRAS", extras)
            )
            subprocess.run(["bash", "-ec", step], cwd=source, check=True)
    yield opt
    shutil.rmtree(root)


def test_image_serves_and_its_health_check_passes(image: Path, tmp_path: Path) -> None:
    (entrypoint,), (command,) = (
        map(json.loads, instructions(name)) for name in ("ENTRYPOINT", "CMD")
    )
    words = [part.replace("/data", str(tmp_path)) for part in (*entrypoint, *command)]
    environment = {
        "PATH": f"{image / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
    }
    with subprocess.Popen(
        [*words, "--port", "0"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        port = server.stdout.readline().strip().rpartition(":")[2]
        (check,) = (health.partition("CMD ")[2] for health in instructions("HEALTHCHECK"))
        probe = [word.replace("8181", port) for word in json.loads(check)]
        healthy = subprocess.run(probe, env=environment, check=False).returncode
        server.send_signal(signal.SIGTERM)

    assert healthy == 0
    assert subprocess.run(probe, env=environment, check=False, capture_output=True).returncode != 0


def test_image_checks(image: Path, tmp_path: Path) -> None:
    environment = {
        "PATH": f"{image / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        ["lakepact", "check", "--only", "IRC-NS-DROP-005"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, "conformant" in done.stdout) == (0, True)


def test_image_runs_as_another_user_than_root() -> None:
    (user,) = instructions("USER")
    (created,) = (shlex.split(step) for step in instructions("RUN") if step.startswith("useradd"))

    assert (int(user) > 0, created[created.index("--uid") + 1]) == (True, user)
