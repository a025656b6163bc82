"""Verbs of the command in processes of their own, whose memory, time and opened files are
watched.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MOST_MIB = 400
MOST_SECONDS = 90.0
#: A class that a hostile catalog names, which leaves a mark once it is imported.
ATTACK = """
import os, pathlib
pathlib.Path(os.environ["ATTACK_MARK"]).touch()
class Attack:
    def __init__(self, *_): pass
"""
#: Starts a process from a small one: the peak of a process counts the memory of the one that it was
#: forked from.
LAUNCH = """
import resource, subprocess, sys
try:
    code = subprocess.run(sys.argv[3:], stdout=1, stderr=1, timeout=float(sys.argv[2])).returncode
except subprocess.TimeoutExpired:
    code = -9
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code & 255)
"""
IN_OPEN, IN_CREATE = 0x20, 0x100


@dataclass(frozen=True)
class VerbRun:
    """The result of a verb."""

    code: int
    output: str
    mib: float
    seconds: float
    ran_code: bool


def run_verb(
    words: Sequence[str],
    folder: Path,
    environment: dict[str, str],
    *,
    program: Sequence[str] = ("-m", "lakepact.cli"),
    seconds: float = MOST_SECONDS,
) -> VerbRun:
    """Run a verb, or another program of Python, and end it after some time."""
    modules = folder / "modules"
    modules.mkdir(exist_ok=True)
    (modules / "attack_io.py").write_text(ATTACK)
    mark = folder / "mark"
    mark.unlink(missing_ok=True)
    own = (os.environ.get("PYTHONPATH"), environment.get("PYTHONPATH"), str(modules))
    path = os.pathsep.join(filter(None, own))
    peak, begun = folder / "peak", time.monotonic()
    launch = [sys.executable, "-S", "-c", LAUNCH, str(peak), str(seconds)]
    done = subprocess.run(
        [*launch, sys.executable, *program, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        cwd=folder,
        env={
            **os.environ,
            "ATTACK_MARK": str(mark),
            "LAKEPACT_TOKEN": "token-of-a-test",
            **environment,
            "PYTHONPATH": path,
        },
    )
    return VerbRun(
        done.returncode,
        done.stdout.decode("utf-8", "replace"),
        int(peak.read_text()) / 1024,
        time.monotonic() - begun,
        mark.exists(),
    )


@contextmanager
def opened_files(*folders: Path) -> Generator[list[str]]:
    """Yield a list; after the block it names the files that were opened or created in the
    folders.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_NONBLOCK)
    for folder in folders:
        for each in (folder, *(one for one in folder.rglob("*") if one.is_dir())):
            libc.inotify_add_watch(watch, os.fsencode(each), IN_OPEN | IN_CREATE)
    names: list[str] = []
    yield names
    try:
        events = os.read(watch, 1 << 16)
    except BlockingIOError:
        events = b""
    os.close(watch)
    while events:
        length = int.from_bytes(events[12:16], sys.byteorder)
        if name := events[16 : 16 + length].rstrip(b"\0").decode():
            names.append(name)
        events = events[16 + length :]
