"""The verdicts of a run, in place of those that were there."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from lakepact.conformance.campaign import tables

if TYPE_CHECKING:
    from pathlib import Path

    from lakepact.conformance.campaign.engines import Engine


def judge(run: Path, engine: Engine) -> None:
    """Judge the exchanges of a run; equal exchanges give equal verdicts, whenever and wherever.

    Raises:
        LookupError: there is no run.
    """
    said = tables.read_json(run / "run.json")
    features = {target["name"]: target["features"] for target in said["targets"]}
    fresh = {name: run / f"_{name}" for name in ("results", "answers")}
    for folder in fresh.values():
        shutil.rmtree(folder, ignore_errors=True)
    engine.judge(run / "exchanges", said["plan"]["contract"], features, **fresh)
    for name, folder in fresh.items():
        shutil.rmtree(run / name, ignore_errors=True)
        if folder.exists():
            folder.rename(run / name)
