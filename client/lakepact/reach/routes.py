"""The certificates and proxies that the caller or the environment names."""

from __future__ import annotations

import ssl
import sys
from functools import cache
from importlib.util import find_spec
from os import environ, fspath
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import certifi
import httpcore

from lakepact.reach.access import WrongSetting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.reach.access import Access

#: Variables that name certificates to trust, the first one first.
_AUTHORITIES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR")
_SCHEMES = frozenset({"http", "https", "socks5", "socks5h"})


class Proxy(httpcore.Proxy):
    """A proxy, and the argument or variable that names it."""

    def __init__(self, name: str, url: httpcore.URL, auth: tuple[bytes, bytes] | None) -> None:
        super().__init__(url, auth)
        self.name = name

    @property
    def is_socks(self) -> bool:
        """Whether it speaks SOCKS, and not HTTP."""
        return self.url.scheme.startswith(b"socks")


def tls(access: Access) -> ssl.SSLContext:
    """Return the TLS settings; certificates are those of `access`, the environment or certifi.

    Raises:
        WrongSetting: A file cannot be read or holds no certificate, or verification is off.
    """
    verify, cert = access.verify, access.cert
    if verify is False:
        raise WrongSetting(
            "verify",
            "=False: verification cannot be switched off; verify= takes the server's own"
            " certificate too",
        )
    if isinstance(verify, ssl.SSLContext):
        if cert:
            raise WrongSetting(
                "cert",
                " and TLS settings in verify exclude each other; load the certificate into these"
                " settings",
            )
        return verify
    name = next((name for name in _AUTHORITIES if environ.get(name)), "certifi")
    path = environ.get(name) or certifi.where()
    try:
        if verify is True and not cert:
            return trust(path)
        name, path = (name, path) if verify is True else ("verify", fspath(verify))
        context = trust.__wrapped__(path)  # not shared: the files of a caller may change
        if cert:
            name, (path, *more) = "cert", (cert,) if isinstance(cert, str) else cert
            context.load_cert_chain(
                path, more[0] if more else None, more[1] if more[1:] else lambda: ""
            )  # never asks a terminal
    except (OSError, ValueError) as wrong:
        reason = getattr(wrong, "strerror", None) or wrong
        raise WrongSetting(name, f"={path!r}: {reason}; it must be a file in PEM") from None
    return context


@cache
def trust(path: str) -> ssl.SSLContext:
    """Return TLS settings that trust the certificates of a file or folder."""
    # Reading the certificates of a whole world takes longer than many calls, so every client shares
    # one reading.
    is_folder = Path(path).is_dir()
    context = ssl.create_default_context(
        cafile=None if is_folder else path, capath=path if is_folder else None
    )
    context.set_alpn_protocols(["http/1.1"])
    return context


def proxies(access: Access, *schemes: str) -> dict[str, Proxy]:
    """Return the proxies of the environment by scheme, or that of the caller under an empty name.

    Args:
        access: The arguments of the caller.
        schemes: `http`, `https` and `all`; by default all three.

    Raises:
        WrongSetting: The address of one is invalid, or the package for it is missing.
    """
    if access.proxy:
        return {} if access.proxy == "none" else {"": _usable(_proxy("proxy", access.proxy))}
    if sys.platform == "linux" and not any(name.lower().endswith("_proxy") for name in environ):
        return {}
    from urllib.request import getproxies  # noqa: PLC0415 - it takes a tenth of the time to import a client

    return {
        scheme: _proxy(f"{scheme.upper()}_PROXY", address)
        for scheme, address in getproxies().items()
        if scheme in (schemes or ("http", "https", "all"))
    }


def _proxy(name: str, address: str) -> Proxy:
    # The address is not repeated, since it may hold a password.
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        port = parts.port
    except ValueError:
        raise WrongSetting(name, " is no address such as http://HOST:PORT") from None
    if parts.scheme not in _SCHEMES or not parts.hostname:
        raise WrongSetting(
            name, f" is {parts.scheme}://…, and http, https, socks5 or socks5h is supported"
        )
    auth = None
    if parts.username is not None:
        auth = unquote(parts.username).encode(), unquote(parts.password or "").encode()
    url = httpcore.URL(scheme=parts.scheme, host=parts.hostname, port=port, target="/")
    return Proxy(name, url, auth)


def _usable(proxy: Proxy) -> Proxy:
    """Return a proxy whose package is installed."""
    if proxy.is_socks and find_spec("socksio") is None:
        problem = " is socks5://…, which needs socksio: pip install socksio"
        raise WrongSetting(proxy.name, problem)
    return proxy


def proxy(origin: httpcore.Origin, among: Mapping[str, Proxy]) -> Proxy | None:
    """Return the proxy for an origin, if `NO_PROXY` does not keep it from one of the environment.

    Args:
        origin: The origin of a request.
        among: The proxies.

    Raises:
        WrongSetting: The package for it is missing.
    """
    proxy = among.get("") or among.get(origin.scheme.decode()) or among.get("all")
    if proxy is None or "" in among:
        return proxy
    from urllib.request import proxy_bypass  # noqa: PLC0415 - see above

    host = origin.host.decode()
    is_direct = proxy_bypass(host) or proxy_bypass(f"{host}:{origin.port}")
    return None if is_direct else _usable(proxy)
