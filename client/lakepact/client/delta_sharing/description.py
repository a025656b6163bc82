"""The metadata of one version of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakepact.client.delta_sharing.lines import Metadata, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The metadata of a table."""

    #: None where the server does not say it.
    version: int | None
    protocol: Protocol
    metadata: Metadata
