"""Writes the verdicts of a run, and their analysis, in place of earlier ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lakepact.conformance.campaign import documents, run_metadata, tables
from lakepact.conformance.campaign.analysis.findings import TABLES
from lakepact.conformance.campaign.engines import Engine
from lakepact.conformance.campaign.paths import move, remove


def analyse(run: Path, engine: Engine, base: Path | None = None) -> dict[str, list[dict[str, Any]]]:
    """Write the tables of the analysis of a judged run, and return their rows.

    A run that has not come to its end is analysed as far as it came.

    Raises:
        LookupError: a run is not there, or was not judged.
    """
    document = documents.read(run / "run.json")
    for folder in (run, base or run):
        documents.read(folder / "run.json")
        left = [
            part for name in ("_results", "_answers") for part in tables.parts(folder / name)
        ]  # of a judge that broke off
        if left or not (folder / "results").is_dir():
            raise LookupError(
                f"{folder / 'results'} is not there, or not whole: judge it first, lakepact"
                f" campaign judge --run {folder}"
            )
    quiet = tuple(start["word"] for start in document.get("starts", ()) if start["workers"] == 1)
    result = engine.analyse(run, base, quiet=quiet)
    for name in TABLES:
        tables.write_part(result[name], run / name, "part-00000")
    run_metadata.write(run)
    return {name: table.to_pylist() for name, table in result.items()}


def judge(run: Path, engine: Engine) -> None:
    """Judge the exchanges of a run; equal exchanges give equal verdicts, whenever and wherever.

    Raises:
        LookupError: there is no run.
    """
    document = documents.read(run / "run.json")
    features = {target["name"]: target["features"] for target in document["targets"]}
    fresh = {name: run / f"_{name}" for name in ("results", "answers")}
    for folder in fresh.values():
        remove(folder)
    engine.judge(run / "exchanges", features, **fresh)
    remove(run / "_judged")  # what an engine keeps on the way
    for name, folder in fresh.items():
        remove(run / name)
        if folder.exists():
            move(folder, run / name)
    run_metadata.write(run)
