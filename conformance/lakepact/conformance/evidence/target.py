"""The server that is checked: its address, credentials and declared operations."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar
from urllib.parse import unquote, urlsplit

from lakepact.conformance.evidence.limits import MAX_BODY, MAX_WAIT
from lakepact.conformance.evidence.shared_files import NO_FILES, SharedFiles
from lakepact.generated.contract import Feature, OperationId
from lakepact.reach.settings import DIRECT, Settings


def address(url: str) -> str:
    """Return the address of a server unchanged, after validation.

    Raises:
        ValueError: it is not an http(s) address; the message shows the form.
    """
    try:
        split = urlsplit(url)
        well = (
            split.scheme in {"http", "https"}
            and bool(split.hostname)
            and split.port != 0
            and not split.query + split.fragment
        )
    except ValueError:
        well = False
    if not well:
        behind_user, mark, query = url.rpartition("@")[2].partition("?")  # either may be secret
        shown = behind_user + mark + ("…" if query else "")
        raise ValueError(
            f"{shown or 'an empty text'} is not the address of a server; write http://HOST:PORT/PATH or https://HOST/PATH"
        )
    return url


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True)
class Target:
    """A server to check.

    Args:
        url: base address without the version segment; a user and password in it become a header and are removed from it.
        headers: sent with every request, for example authorization; never reported.
        access: certificates, proxy and login.
        features: optional features that the user switches on or off; they override discovery.
        parameters: values that a client chooses once, for example the `warehouse` of a catalog.
        timeout: seconds to wait for a complete answer.
        max_body: maximum bytes of a body, both as sent and as decoded.
        max_wait: seconds that a run spends in total on answers that exceed these limits.
        name: name in reports; by default the address.
        shared_files: the files of the server that the suite may read and write.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=_nothing, repr=False)
    access: Settings = DIRECT
    features: Mapping[str, bool] = field(default_factory=_nothing)
    parameters: Mapping[str, str] = field(default_factory=_nothing)
    timeout: float = 10.0
    max_body: int = MAX_BODY
    max_wait: float = MAX_WAIT
    name: str = ""
    shared_files: SharedFiles = NO_FILES
    side: ClassVar[str] = "server"  #: of the contract

    def __post_init__(self) -> None:
        split = urlsplit(self.url)
        userinfo, at, host = split.netloc.rpartition("@")
        if at:
            basic = base64.b64encode(unquote(userinfo).encode()).decode()
            object.__setattr__(self, "url", split._replace(netloc=host).geturl())
            object.__setattr__(
                self,
                "headers",
                MappingProxyType({"Authorization": f"Basic {basic}", **self.headers}),
            )


@dataclass(frozen=True)
class Offer:
    """The declaration of a target; requirements about anything else are not-offered.

    Args:
        operations: ids of the declared operations.
        segments: path parameters with one value for the whole target, inserted unchanged; `None` omits the segment.
        features: optional features that were detected as on or off.
        facts: names and values about the target, for reports.
        found: other results of discovery, for the contract's lab.
    """

    operations: frozenset[OperationId]
    segments: Mapping[str, str | None] = field(default_factory=_nothing)
    features: Mapping[str, bool] = field(default_factory=_nothing)
    facts: Mapping[str, str] = field(default_factory=_nothing)
    found: Mapping[str, Any] = field(default_factory=_nothing, repr=False)


def is_on(feature: Feature, target: Target, offer: Offer | None) -> bool:
    """Return whether an optional feature is on: the user's setting, else the discovered one, else the contract's default."""
    if feature.name in target.features:
        return target.features[feature.name]
    return offer.features.get(feature.name, feature.default) if offer else feature.default
