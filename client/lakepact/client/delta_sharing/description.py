"""What a table is, as one version of it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakepact.client.delta_sharing.lines import Metadata, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a table is."""

    #: None where the server does not say it.
    version: int | None
    protocol: Protocol
    metadata: Metadata
