"""What is judged: an address, how to speak to it, and what it declares to offer."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Target:
    """A server to judge.

    Args:
        url: base address, without the version segment.
        headers: sent with every request, authorization for example; never reported.
        features: what the user says of optional behaviours, by feature name; it wins over what is discovered.
        parameters: what the contract lets a client choose once, the `warehouse` of a catalog for example.
        timeout: seconds to wait for one answer.
    """

    url: str
    headers: Mapping[str, str] = field(default=NOTHING, repr=False)
    features: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    parameters: Mapping[str, str] = NOTHING
    timeout: float = 10.0


@dataclass(frozen=True)
class Offer:
    """What a target declares: nothing outside of it is held against the target.

    Args:
        operations: ids of the operations that it declares.
        segments: path parameters with one value for the whole target, inserted as they are; `None` leaves the segment out.
        features: optional behaviours that were found or denied.
        facts: what a report says about the target, name and value.
    """

    operations: frozenset[str]
    segments: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    features: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    facts: Mapping[str, str] = NOTHING
