"""The certificates and the proxy by which a target is reached; errors name options."""

from __future__ import annotations

import ssl
from urllib.parse import SplitResult

import httpcore

from lakepact.reach import routes
from lakepact.reach.access import WrongSetting
from lakepact.reach.routes import Proxy
from lakepact.reach.settings import Settings, naming_options

LOOPBACK = frozenset(
    {"127.0.0.1", "::1", "localhost"}
)  #: hosts that no variable sends through a proxy


def tls(settings: Settings) -> ssl.SSLContext:
    """Return the TLS settings.

    Raises:
        ValueError: a file cannot be read, or holds no certificate; the message names the option.
    """
    with naming_options():
        return routes.tls(settings.access)


def port(url: SplitResult) -> int:
    """Return the port of an address."""
    return url.port or (443 if url.scheme == "https" else 80)


def proxy(settings: Settings, url: SplitResult) -> Proxy | None:
    """Return the proxy to an address: the option's, else that of the environment.

    Raises:
        ValueError: it is not supported; the message does not repeat its address, which may hold
            a password.
    """
    if "@" in settings.proxy:
        raise ValueError(
            "--proxy: profiles and reports may repeat it; set HTTPS_PROXY or HTTP_PROXY "
            "for a proxy with a password"
        )
    host = url.hostname or ""
    if not settings.proxy and host in LOOPBACK:
        return None
    origin = httpcore.Origin(url.scheme.encode(), host.encode(), port(url))
    with naming_options():
        proxy = routes.proxy(origin, routes.proxies(settings.access, url.scheme, "all"))
        if proxy and proxy.url.scheme == b"https":  # it would take TLS within TLS
            raise WrongSetting(
                proxy.name, " is https://…, and http, socks5 or socks5h is supported"
            )
    return proxy
