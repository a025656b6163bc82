"""The server that is checked: its address, credentials and declared operations."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar
from urllib.parse import unquote, urlsplit

from lakepact.conformance.evidence.limits import MAX_BODY, MAX_WAIT
from lakepact.conformance.evidence.shared_files import NO_FILES, SharedFiles
from lakepact.generated.contract import Feature, OperationId
from lakepact.reach.settings import DIRECT, Settings

T = TypeVar("T")


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
        text = behind_user + mark + ("…" if query else "")
        raise ValueError(
            f"{text or 'an empty text'} is not the address of a server; write"
            " http://HOST:PORT/PATH or https://HOST/PATH"
        )
    return url


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True)
class Target:
    """A server to check.

    Args:
        url: base address without the version segment; a user and password in it become a header and
            are removed from it.
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


class Once(Generic[T]):
    """A result of discovery that is asked for at its first use, by one thread.

    Args:
        ask: asks for it.
    """

    def __init__(self, ask: Callable[[], T]) -> None:
        self._ask, self._lock = ask, threading.RLock()
        self._answers: list[T] = []

    def __call__(self) -> T:
        """Return it."""
        with self._lock:
            if not self._answers:
                self._answers.append(self._ask())
            return self._answers[0]

    @property
    def is_detected(self) -> bool:
        """Whether it was used."""
        return bool(self._answers)


class Detected(Mapping[str, bool]):
    """Optional features, each detected at its first use."""

    def __init__(self, detect: Mapping[str, Callable[[], bool]]) -> None:
        self._features = {name: Once(ask) for name, ask in detect.items()}

    def __getitem__(self, name: str) -> bool:
        return self._features[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._features)

    def __len__(self) -> int:
        return len(self._features)

    @property
    def unused(self) -> frozenset[str]:
        """The features that nothing asked for yet."""
        return frozenset(name for name, on in self._features.items() if not on.is_detected)


@dataclass(frozen=True)
class Offer:
    """The declaration of a target; requirements about anything else are not-offered.

    Args:
        operations: ids of the declared operations.
        segments: path parameters with one value for the whole target, inserted unchanged; `None`
            omits the segment.
        features: optional features that were detected as on or off.
        facts: names and values about the target, for reports.
        results: other results of discovery, for the contract's lab; some as `Once`.
    """

    operations: frozenset[OperationId]
    segments: Mapping[str, str | None] = field(default_factory=_nothing)
    features: Mapping[str, bool] = field(default_factory=_nothing)
    facts: Mapping[str, str] = field(default_factory=_nothing)
    results: Mapping[str, Any] = field(default_factory=_nothing, repr=False)

    def result(self, name: str) -> Any:
        """Return another result of discovery."""
        value = self.results[name]
        return value() if isinstance(value, Once) else value

    @property
    def unused(self) -> frozenset[str]:
        """The features that nothing asked for yet, and that therefore were not detected."""
        return self.features.unused if isinstance(self.features, Detected) else frozenset()


def is_on(feature: Feature, target: Target, offer: Offer | None) -> bool:
    """Return whether an optional feature is on: the user's setting, else the discovered one, else
    the contract's default.
    """
    if feature.name in target.features:
        return target.features[feature.name]
    return offer.features.get(feature.name, feature.default) if offer else feature.default
