"""Servers in front of another one: TLS with a certificate of its own authority, and proxies that
open tunnels.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

EC = [
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-days",
    "2",
]


@dataclass(frozen=True)
class Front:
    """A server in front of another one."""

    url: str
    heads: list[bytes] = field(default_factory=list)  #: of requests to a proxy


def certificate(folder: Path, name: str) -> tuple[str, str]:
    """Make a certificate for 127.0.0.1 and its key, and return the paths of both."""
    crt, key = str(folder / f"{name}.crt"), str(folder / f"{name}.key")
    names = [
        "-subj",
        f"/CN={name}",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        key,
        "-out",
        crt,
    ]
    subprocess.run([*EC, *names], check=True, capture_output=True)
    return crt, key


@contextlib.contextmanager
def tls_front(url: str, server: tuple[str, str], *, callers: str | None = None) -> Generator[Front]:
    """Serve `url` with TLS.

    Args:
        url: address behind it.
        server: certificate and key.
        callers: the certificate that callers have to present.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=callers)
    context.load_cert_chain(*server)
    context.verify_mode = ssl.CERT_REQUIRED if callers else ssl.CERT_NONE
    behind = urlsplit(url)

    def forward(caller: socket.socket) -> None:
        with (
            context.wrap_socket(caller, server_side=True) as secured,
            socket.create_connection((behind.hostname, behind.port)) as server,
        ):
            _pipe(secured, server)

    with _listening(forward) as port:
        yield Front(f"https://127.0.0.1:{port}")


@contextlib.contextmanager
def proxy_front(*, refuse: str = "") -> Generator[Front]:
    """Open tunnels to any address; with `refuse`, such as `407 Proxy Authentication Required`,
    refuse to.
    """
    heads: list[bytes] = []

    def tunnel(caller: socket.socket) -> None:
        with caller:
            head = caller.recv(65536)
            heads.append(head)
            caller.sendall(f"HTTP/1.1 {refuse or '200 Connection established'}\r\n\r\n".encode())
            host, _, port = head.split()[1].decode().rpartition(":")
            if not refuse:
                with socket.create_connection((host, int(port))) as server:
                    _pipe(caller, server)

    with _listening(tunnel) as port:
        yield Front(f"http://127.0.0.1:{port}", heads)


@contextlib.contextmanager
def socks_front(*, login: bytes = b"", reply: int = 0, nonsense: bytes = b"") -> Generator[Front]:
    """Open connections to any address by SOCKS5, for callers with a `login`, or answer with another
    reply than 0, or with nonsense.
    """
    heads: list[bytes] = []

    def connect(caller: socket.socket) -> None:
        with caller:
            caller.recv(4096)
            if nonsense:
                caller.sendall(nonsense)
                return
            caller.sendall(b"\x05\x02" if login else b"\x05\x00")
            if login:
                heads.append(caller.recv(4096))
                caller.sendall(b"\x01\x00" if heads[-1] == login else b"\x01\x01")
            command = caller.recv(4096)
            heads.append(command)
            caller.sendall(bytes((5, reply, 0, 1, 0, 0, 0, 0, 0, 0)))
            if command and reply == 0:  # an IPv4 address, or a name after its length
                host = (
                    socket.inet_ntoa(command[4:8])
                    if command[3] == 1
                    else command[5 : 5 + command[4]].decode()
                )
                port = int.from_bytes(command[-2:], "big")
                with socket.create_connection((host, port)) as server:
                    _pipe(caller, server)

    with _listening(connect) as port:
        yield Front(f"socks5://127.0.0.1:{port}", heads)


@contextlib.contextmanager
def _listening(serve: Callable[[socket.socket], None]) -> Generator[int]:
    """Yield the port at which each connection is served in a thread."""

    def accept() -> None:
        with contextlib.suppress(OSError):  # the listener was closed
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=served, args=(connection,), daemon=True).start()

    def served(connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            serve(connection)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def _pipe(one: socket.socket, other: socket.socket) -> None:
    """Copy bytes in both directions until one side ends."""

    def copy(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)

    back = threading.Thread(target=copy, args=(other, one), daemon=True)
    back.start()
    copy(one, other)
    back.join()
