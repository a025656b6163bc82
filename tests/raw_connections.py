"""Raw HTTP connections to a server, and the server as a process with readable memory."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

SERVE = [
    sys.executable,
    "-c",
    "from lakepact.reference_server.cli import serve; serve()",
    "--port",
    "0",
]
STATUS = re.compile(rb"HTTP/1\.1 ([0-9]{3}) ")
CONFIG = b"GET /v1/config HTTP/1.1\r\nHost: a\r\n\r\n"


@dataclass(frozen=True)
class ServerProcess:
    """`lakepact serve` in its own process."""

    process: subprocess.Popen[str]
    port: int

    @property
    def megabytes(self) -> float:
        """The resident memory of the process."""
        return self._memory("VmRSS")

    @property
    def most_megabytes(self) -> float:
        """The most resident memory that the process ever had."""
        return self._memory("VmHWM")

    def _memory(self, name: str) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (line,) = [line for line in status.splitlines() if line.startswith(f"{name}:")]
        return int(line.split()[1]) / 1024

    @property
    def sockets(self) -> int:
        """The number of open sockets of the process."""
        count = 0
        for descriptor in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(FileNotFoundError):
                count += str(descriptor.readlink()).startswith("socket:")
        return count

    def seconds_to_end(self) -> float:
        """Send SIGTERM, and return how long the process takes to end."""
        started = time.monotonic()
        self.process.terminate()
        self.process.wait(60)
        return time.monotonic() - started


@contextmanager
def server_process(*arguments: str) -> Generator[ServerProcess]:
    """Run `lakepact serve`."""
    process = subprocess.Popen(
        [*SERVE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout
        yield ServerProcess(process, int(process.stdout.readline().rpartition(":")[2]))
    finally:
        process.kill()
        process.communicate()


def connect(port: int, data: bytes = b"", *, stalled: bool = False) -> socket.socket:
    """Return a connection after sending some bytes; a stalled connection has small buffers for
    unread answers.
    """
    connection = socket.socket()
    connection.settimeout(20)
    if stalled:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", port))
    connection.sendall(data)
    return connection


def fill(connections: Iterable[socket.socket], request: bytes, *, seconds: float) -> None:
    """Send one request repeatedly on every connection, and read no answer."""
    sent = dict.fromkeys(connections, 0)
    for connection in sent:
        connection.setblocking(False)
    many = request * 2000
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for connection, size in sent.items():
            with suppress(OSError):
                sent[connection] = size + connection.send(many[size % len(request) :])
        time.sleep(0.01)


def received(connection: socket.socket) -> bytes:
    """Return all bytes until the server closes the connection."""
    came = b""
    with suppress(ConnectionResetError):
        while piece := connection.recv(1 << 20):
            came += piece
    return came


def sent(url: str, data: bytes) -> bytes:
    """Send bytes to a server, and return all bytes until it closes the connection."""
    with connect(int(url.rpartition(":")[2]), data) as connection:
        return received(connection)


def statuses(connection: socket.socket) -> list[int]:
    """Return the statuses of all answers until the server closes the connection."""
    return [int(status) for status in STATUS.findall(received(connection))]


def answer_seconds(port: int) -> float:
    """Return how long a caller on a new connection waits for an answer."""
    started = time.monotonic()
    with connect(port, CONFIG) as connection:
        assert connection.recv(15) == b"HTTP/1.1 200 OK"
    return time.monotonic() - started


def eventually(holds: Callable[[], bool], *, seconds: float) -> bool:
    """Return whether a condition becomes true in time."""
    until = time.monotonic() + seconds
    while not (held := holds()) and time.monotonic() < until:
        time.sleep(0.1)
    return held
