"""The origins to which the answers of a server may lead: that of its own address, and those that
the caller trusts.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

from lakepact.client.errors import BadReply, Failure, UntrustedOrigin
from lakepact.client.limits import Limits
from lakepact.client.several import Names, several
from lakepact.reach.urls import origin, server_address, web_address

if TYPE_CHECKING:
    from lakepact.formats.limits import Limit

_IP: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
#: The origin of files of the local machine.
FILES = "file:"
#: Link-local addresses, and others at which clouds give credentials to every process of a machine.
_METADATA = tuple(
    ipaddress.ip_network(network)
    for network in (
        "169.254.0.0/16",
        "fe80::/10",
        "fd00:ec2::/32",
        "fd20:ce::254",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
    )
)
_METADATA_NAMES = frozenset({"metadata", "metadata.google.internal", "metadata.goog"})
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class TrustedOrigins:
    """The origins that a caller trusts, and the values of the caller's own properties; `repr()`
    shows none of these.

    Files of the table are decoded within a limit, wherever they are.
    """

    origins: frozenset[str]
    own: frozenset[str] = field(default=frozenset(), repr=False)
    decoding: Limit = field(default=Limits().decoding, repr=False)

    @classmethod
    def of(
        cls,
        address: str,
        names: Names = (),
        own: Iterable[str] = (),
        *,
        decoding: Limit | None = None,
    ) -> TrustedOrigins:
        """Return the origin of a server and further ones; `file:` is one of them where the server
        is at a loopback address.

        Raises:
            ValueError: One of `names` is not an origin.
        """
        local = {FILES} if _is_loopback(urlsplit(address).hostname or "") else set[str]()
        origins = map(_own_origin, several("trusted_origins", names))
        return cls(
            frozenset({origin(address), *local, *origins}),
            frozenset(own),
            decoding or Limits().decoding,
        )

    def including(self, own: Iterable[str]) -> TrustedOrigins:
        """Return the same with more values of the caller's properties."""
        return replace(self, own=self.own | frozenset(own))

    def address(self, address: str, *, operation: str, name: str) -> str:
        """Return an address that a server names, if credentials may be sent there.

        Args:
            address: The address.
            operation: The operation that it was named in.
            name: The member or property that names it.

        Raises:
            UntrustedOrigin: It is at another origin.
            BadReply: It is not the address of a server.
        """
        is_own = address in self.own
        try:
            address = server_address(web_address(address))
        except ValueError as invalid:
            raise BadReply(
                Failure(
                    operation=operation, message=f"{name} is not the address of a server: {invalid}"
                )
            ) from None
        if not is_own:
            self._check(
                origin(address),
                operation,
                f"{name} is at another origin than the server; no credentials are sent there",
            )
        return address

    def location(self, location: str, *, operation: str) -> str:
        """Return the location of a file that a server names, if it may be opened.

        Raises:
            UntrustedOrigin: It is on this machine.
        """
        scheme = urlsplit(location).scheme
        if scheme == "file" or len(scheme) < 2:  # a drive of Windows, too
            self._check(
                FILES,
                operation,
                f"the server names the file {location[:200]!r} of this machine, which is not"
                " opened",
            )
        return location

    def _check(self, origin: str, operation: str, problem: str) -> None:
        if origin not in self.origins:
            advice = (
                f'if you trust the server with {origin}, allow it: trusted_origins=("{origin}",)'
            )
            raise UntrustedOrigin(Failure(operation=operation, message=f"{problem}; {advice}"))


def is_metadata(host: str) -> bool:
    """Return whether a host is an address, or a usual name, of the metadata of a cloud; other names
    may still resolve to one.
    """
    host = host.lower().rstrip(".")
    return host in _METADATA_NAMES or any(
        address in network for address in _addresses(host) for network in _METADATA
    )


def reachable(host: str, address_infos: Iterable[tuple[Any, ...]]) -> list[str]:
    """Return the addresses of a host.

    Args:
        host: The host.
        address_infos: The results of `getaddrinfo`.

    Raises:
        OSError: A name resolves to the metadata of a cloud, which the owner of the name would
            choose.
    """
    addresses = [str(address[0]) for *_, address in address_infos]
    for address in addresses:
        if address != host and is_metadata(address):
            raise OSError(
                f"{host} resolves to {address}, an address of cloud metadata, which is not"
                " connected to by name"
            )
    return addresses


def _is_loopback(host: str) -> bool:
    return host == "localhost" or any(address.is_loopback for address in _addresses(host))


def _addresses(host: str) -> Collection[_IP]:
    """Return the address that a host is, and the one that it stands for; none for a name."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        try:
            return (
                ipaddress.IPv4Address(socket.inet_aton(host)),
            )  # forms such as 2852039166 and 0xA9.0xFE.43518
        except (OSError, ValueError):
            return ()
    if isinstance(address, ipaddress.IPv6Address) and (address.ipv4_mapped or address in _NAT64):
        return address, ipaddress.IPv4Address(address.packed[-4:])
    return (address,)


def _own_origin(text: str) -> str:
    """Return one of the caller's origins in the form that they are compared in."""
    if text in {FILES, f"{FILES}//"}:
        return FILES
    try:
        return origin(server_address(web_address(text)))
    except ValueError as invalid:
        raise ValueError(
            f"trusted_origins holds {text!r}, which is no origin such as"
            f" https://storage.example: {invalid}"
        ) from None
