"""Addresses of servers and of what they serve."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlencode, urlsplit

_PORTS = {"http": 80, "https": 443}


def server_address(address: str) -> str:
    """Return the address of a server as paths are put after it: without a slash at its end.

    Raises:
        ValueError: It is not an http(s) address, or holds credentials, a query or a fragment.
    """
    parts = urlsplit(address)
    _ = parts.port  # complains about one that is no number
    if parts.username is not None or parts.password is not None:
        raise ValueError("the address of a server holds no credentials; give them as auth=")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"not the http or https address of a server: {address!r}")
    if parts.query or parts.fragment:
        raise ValueError(f"the address of a server has no query and no fragment: {address!r}")
    return address.rstrip("/")


def web_address(address: str) -> str:
    """Return the address, if requests can be sent to it.

    Raises:
        ValueError: It is not an http(s) address. The message does not repeat it: it may hold a
            signature.
    """
    try:
        parts = urlsplit(address)
        is_web = (
            parts.scheme in {"http", "https"}
            and bool(parts.hostname)
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        is_web = False
    if not is_web or not address.isascii() or not address.isprintable() or " " in address:
        raise ValueError("not an http or https address")
    return address


#: Segments that proxies may normalize.
_STEPS = frozenset({".", ".."})


def path_segment(name: str) -> str:
    """Return the name, if it can stand in a path.

    Raises:
        ValueError: The name is empty or a step in a path; the request would reach something else.
    """
    if not name or name in _STEPS:
        raise ValueError(f"cannot be addressed by a path: {name!r}")
    return name


def origin(address: str) -> str:
    """Return scheme, host and port of a URL, in the form that origins are compared in."""
    parts = urlsplit(address)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = "" if parts.port in {None, _PORTS.get(parts.scheme)} else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"


def url(address: str, path: str, query: Iterable[tuple[str, str]]) -> str:
    """Return the whole address of a call; `path` is percent-encoded already."""
    query_string = urlencode(list(query))
    return f"{address}{path}?{query_string}" if query_string else f"{address}{path}"
