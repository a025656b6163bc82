"""A contract at home: served by the reference server of this installation, on this machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lakepact.conformance.target import Target

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class EmbeddedTarget:
    """What the reference server needs to serve a contract, and how a harness beside it speaks to it.

    Args:
        settings: of the server, named as the keywords of `running`; with `--` before them they are options of `lakepact serve`.
        root: where the contract is served below the server's address, without a slash at its end.
        headers: sent with every request.
        parameters: what a client may choose, and what the harness is told besides.
        features: what is known of the server before it is asked.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    root: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    parameters: Mapping[str, str] = field(default_factory=dict)
    features: Mapping[str, bool] = field(default_factory=dict)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The settings as arguments of `lakepact serve`."""
        return tuple(word for name, value in self.settings.items() for word in (f"--{name.replace('_', '-')}", str(value)))

    def target(self, address: str) -> Target:
        """The contract at a server's address, as something to judge."""
        return Target(address.rstrip("/") + self.root, headers=self.headers, features=self.features, parameters=self.parameters)
