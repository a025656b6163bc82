"""Connections through proxies of HTTP and SOCKS, which leave the bytes of requests unchanged."""

from __future__ import annotations

import socket
from http.client import HTTPConnection
from typing import Any

from lakepact.reach.routes import Proxy


def tunnel(proxy: Proxy, host: str, port: int, *, timeout: float) -> socket.socket:
    """Open a connection to an address through a proxy.

    Raises:
        OSError: the proxy does not answer, or refuses it.
    """
    connection = HTTPConnection(proxy.url.host.decode(), proxy.url.origin.port, timeout=timeout)
    if not proxy.is_socks:
        headers = {name.decode(): value.decode() for name, value in proxy.headers}
        connection.set_tunnel(host, port, headers=headers)
    connection.connect()
    if proxy.is_socks:
        try:
            _command(connection.sock, proxy, host, port)
        except BaseException:
            connection.close()
            raise
    return connection.sock


def _command(connection: socket.socket, proxy: Proxy, host: str, port: int) -> None:
    """Ask a proxy of SOCKS for a connection; it resolves the name of the host."""
    from socksio import ProtocolError, socks5  # noqa: PLC0415 - of few callers

    method = socks5.SOCKS5AuthMethod
    requests = [
        socks5.SOCKS5AuthMethodsRequest(
            [method.USERNAME_PASSWORD if proxy.auth else method.NO_AUTH_REQUIRED]
        ),
        *([socks5.SOCKS5UsernamePasswordRequest(*proxy.auth)] if proxy.auth else []),
        socks5.SOCKS5CommandRequest.from_address(socks5.SOCKS5Command.CONNECT, (host, port)),
    ]
    socks: Any = socks5.SOCKS5Connection()
    reply: Any = None
    try:
        for request in requests:
            socks.send(request)
            connection.sendall(socks.data_to_send())
            reply = socks.receive_data(connection.recv(4096))
    except (NotImplementedError, ProtocolError) as wrong:
        raise OSError("no SOCKS5, or the name and password were refused") from wrong
    if reply.reply_code != socks5.SOCKS5ReplyCode.SUCCEEDED:
        raise OSError(f"SOCKS5 reply {reply.reply_code.name}")
