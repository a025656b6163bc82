"""What is judged: an address, how to speak to it, and what it declares to offer."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote, urlsplit

from lakepact.conformance.limits import MAX_BODY, MAX_WAIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.generated.contract import Feature, OperationId


def address(url: str) -> str:
    """The address itself, once it is seen to be one of a server.

    Raises:
        ValueError: it is none; the message says how one is written.
    """
    try:
        split = urlsplit(url)
        well = split.scheme in {"http", "https"} and bool(split.hostname) and split.port != 0 and not split.query + split.fragment
    except ValueError:
        well = False
    if not well:
        behind_user, mark, query = url.rpartition("@")[2].partition("?")  # either may be secret
        shown = behind_user + mark + ("…" if query else "")
        raise ValueError(f"{shown or 'an empty text'} is no address of a server; write http://HOST:PORT/PATH or https://HOST/PATH")
    return url


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True)
class Target:
    """A server to judge.

    Args:
        url: base address, without the version segment; a user and a password in it are sent as a header, and are no part of it any more.
        headers: sent with every request, authorization for example; never reported.
        features: what the user says of optional behaviours, by feature name; it wins over what is discovered.
        parameters: what the contract lets a client choose once, the `warehouse` of a catalog for example.
        timeout: seconds to wait for one whole answer.
        max_body: bytes of its body, as it is sent and as it is decoded.
        max_wait: seconds that a run spends on answers beyond these limits.
        name: what reports call it; its address if nothing else is said.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=_nothing, repr=False)
    features: Mapping[str, bool] = field(default_factory=_nothing)
    parameters: Mapping[str, str] = field(default_factory=_nothing)
    timeout: float = 10.0
    max_body: int = MAX_BODY
    max_wait: float = MAX_WAIT
    name: str = ""
    side: ClassVar[str] = "server"  #: of the contract

    def __post_init__(self) -> None:
        split = urlsplit(self.url)
        userinfo, at, host = split.netloc.rpartition("@")
        if at:
            basic = base64.b64encode(unquote(userinfo).encode()).decode()
            object.__setattr__(self, "url", split._replace(netloc=host).geturl())
            object.__setattr__(self, "headers", MappingProxyType({"Authorization": f"Basic {basic}", **self.headers}))


@dataclass(frozen=True)
class Offer:
    """What a target declares: nothing outside of it is held against the target.

    Args:
        operations: ids of the operations that it declares.
        segments: path parameters with one value for the whole target, inserted as they are; `None` leaves the segment out.
        features: optional behaviours that were found or denied.
        facts: what a report says about the target, name and value.
        found: what else was found, for the contract's own lab.
    """

    operations: frozenset[OperationId]
    segments: Mapping[str, str | None] = field(default_factory=_nothing)
    features: Mapping[str, bool] = field(default_factory=_nothing)
    facts: Mapping[str, str] = field(default_factory=_nothing)
    found: Mapping[str, Any] = field(default_factory=_nothing, repr=False)


def is_on(feature: Feature, target: Target, offer: Offer | None) -> bool:
    """Whether an optional behaviour is on: as the user says, else as discovered, else as the contract assumes."""
    if feature.name in target.features:
        return target.features[feature.name]
    return offer.features.get(feature.name, feature.default) if offer else feature.default
