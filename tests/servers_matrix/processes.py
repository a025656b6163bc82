"""Programs that run beside a check: each as a context manager that ends it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import httpx

START_SECONDS = 240.0  #: until the first answer, on a busy machine
STOP_SECONDS = 20
RESTARTS = 50  #: of a server that ends while it is checked
KEYS = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}


def object_store(folder: Path, *, services: str) -> AbstractContextManager[str]:
    """Run MiniStack with these services, on 127.0.0.1."""
    port = free_port()
    env = {
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "MINISTACK_HOST": "127.0.0.1",
        "SERVICES": services,
    }
    env["S3_DATA_DIR"] = str(folder / "s3")
    program = Path(sys.executable).with_name("ministack")
    return running(
        [str(program)], folder / "ministack.log", answers=f"http://127.0.0.1:{port}", env=env
    )


def client(service: str, url: str) -> Any:
    """Return a client of one of its services."""
    import boto3  # noqa: PLC0415 - installed for the matrix alone

    return boto3.client(service, endpoint_url=url, **KEYS)


def free_port() -> int:
    """Return a port of 127.0.0.1 on which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextlib.contextmanager
def running(
    command: Sequence[str], log: Path, *, answers: str, env: Mapping[str, str] | None = None
) -> Generator[str]:
    """Run a program until the end of the block, and start it again if it ends; yield the URL at
    which it answers.

    Raises:
        RuntimeError: it ends, or does not answer in time.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    stopped, lock = False, threading.Lock()  # of starts, so that none follows the stop
    with log.open("w") as written:
        start = partial(
            subprocess.Popen[bytes],
            command,
            env={**os.environ, **(env or {})},
            cwd=log.parent,
            stdout=written,
            stderr=written,
        )
        started = [start()]

        def restart() -> None:
            for _ in range(RESTARTS):
                started[-1].wait()
                with lock:
                    if stopped:
                        return
                    started.append(start())

        try:
            until = time.monotonic() + START_SECONDS
            while not _is_answering(answers):
                if started[0].poll() is not None or time.monotonic() > until:
                    raise RuntimeError(
                        f"{command[0]} does not answer at {answers}: {log.read_text('utf-8')[-1000:]}"
                    )
                time.sleep(0.2)
            threading.Thread(target=restart, daemon=True).start()
            yield answers
        finally:
            with lock:
                stopped = True
            started[-1].terminate()
            started[-1].wait(STOP_SECONDS)
        if started[1:]:
            sys.stdout.write(f"{command[0]} ended {len(started) - 1} times and was started again\n")


def _is_answering(url: str) -> bool:
    try:
        httpx.get(url, trust_env=False)
    except httpx.TransportError:
        return False
    return True
