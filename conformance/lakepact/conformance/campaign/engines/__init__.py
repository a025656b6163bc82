"""Engines that run the workers of a campaign: local processes or Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from lakepact.conformance.campaign.engines.local import LocalEngine
    from lakepact.conformance.campaign.engines.spark import Spark

#: What draws cases, sends them, judges the exchanges and analyses the verdicts.
Engine: TypeAlias = "LocalEngine | Spark"
