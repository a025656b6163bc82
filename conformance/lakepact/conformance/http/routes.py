"""The certificates and the proxy by which a target is reached."""

from __future__ import annotations

import base64
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from os import environ
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import certifi

from lakepact.conformance.evidence.access import Access

LOOPBACK = frozenset(
    {"127.0.0.1", "::1", "localhost"}
)  #: hosts that no variable sends through a proxy
AUTHORITIES = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
)  #: variables that name a file of certificates to trust


@dataclass(frozen=True)
class Proxy:
    """A proxy that opens tunnels.

    Args:
        host: its name or address.
        port: its port.
        headers: sent to it with each CONNECT.
        url: its address, with a password if it needs one.
        option: the option or variable that names it.
    """

    host: str
    port: int
    headers: Mapping[str, str]
    url: str
    option: str

    def __repr__(self) -> str:
        return f"{self.host}:{self.port} ({self.option})"


def tls(access: Access) -> ssl.SSLContext:
    """Return the TLS settings.

    Raises:
        ValueError: a file cannot be read, or holds no certificate; the message names the option.
    """
    option, path = next(
        ((name, environ[name]) for name in AUTHORITIES if environ.get(name)), ("", "")
    )
    if access.ca_file:
        option, path = "--ca-file", access.ca_file
    try:
        folder = None if path else environ.get("SSL_CERT_DIR")
        context = ssl.create_default_context(
            cafile=path or (None if folder else certifi.where()), capath=folder
        )
        if access.client_cert:
            option, path = "--client-cert", access.client_cert
            context.load_cert_chain(
                access.client_cert, access.client_key or None, password=lambda: ""
            )
    except (OSError, ValueError) as wrong:
        raise ValueError(
            f"{option} {path}: {getattr(wrong, 'strerror', None) or wrong}; it must be a file in PEM"
        ) from wrong
    return context


def proxy(access: Access, scheme: str, host: str, port: int) -> Proxy | None:
    """Return the proxy to an address: the option's, else that of the environment.

    Raises:
        ValueError: its address is not supported; the message does not repeat it, since it may hold a password.
    """
    if access.proxy:
        if "@" in access.proxy:
            raise ValueError(
                "--proxy: profiles and reports may repeat it; set HTTPS_PROXY or HTTP_PROXY for a proxy with a password"
            )
        return None if access.proxy == "none" else _proxy("--proxy", access.proxy)
    found = getproxies()
    url = found.get(scheme) or found.get("all")
    if not url or host in LOOPBACK or proxy_bypass(host) or proxy_bypass(f"{host}:{port}"):
        return None
    return _proxy(f"{scheme.upper()}_PROXY", url)


def _proxy(option: str, address: str) -> Proxy:
    split = urlsplit(address if "://" in address else f"http://{address}")
    if split.scheme != "http" or not split.hostname:
        raise ValueError(
            f"{option}: write http://HOST:PORT; other kinds of proxies are not supported"
        )
    headers = {}
    if split.username is not None:
        user = f"{unquote(split.username)}:{unquote(split.password or '')}"
        headers["Proxy-Authorization"] = f"Basic {base64.b64encode(user.encode()).decode()}"
    return Proxy(split.hostname, split.port or 80, headers, split.geturl(), option)
