"""The verdicts of a run, and what they say together, in place of what was there."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from lakepact.conformance.campaign import tables

if TYPE_CHECKING:
    from pathlib import Path

    from lakepact.conformance.campaign.engines import Engine


def analyse(run: Path, engine: Engine, base: Path | None = None) -> dict[str, list[dict[str, Any]]]:
    """Write coverage, divergences and regressions of a judged run; their rows.

    Raises:
        LookupError: a run is not there, or was not judged.
    """
    folders = {"results": run / "results", "answers": run / "answers"}
    if base is not None:
        folders["base"] = base / "results"
    for folder in folders.values():
        if not folder.is_dir():
            raise LookupError(f"{folder} is not there: judge it first, lakepact campaign judge --run {folder.parent}")
    found = engine.analyse(folders)
    for name, schema in {"coverage": tables.COVERAGE, "divergences": tables.DIVERGENCES, "regressions": tables.REGRESSIONS}.items():
        found[name] = found[name].select(schema.names).cast(schema)
        tables.replace(found[name], run / name)
    return {name: table.to_pylist() for name, table in found.items()}


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
    engine.judge(run / "exchanges", features, **fresh)
    shutil.rmtree(run / "_judged", ignore_errors=True)  # what an engine keeps on the way
    for name, folder in fresh.items():
        shutil.rmtree(run / name, ignore_errors=True)
        if folder.exists():
            folder.rename(run / name)
