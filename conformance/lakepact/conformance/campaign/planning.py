"""Writes a plan: the cases of many seeds, drawn side by side, each kept once."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.conformance import suite as suites
from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.cases import fingerprint
from lakepact.conformance.campaign.generation import MODES, generator_fingerprint, planned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Row = dict[str, Any]

FEW_SEEDS = 2  #: that are drawn before another process has started


class Taken(ValueError):
    """A folder that holds a plan already."""


def plan(
    contract: str,
    folder: Path,
    *,
    seeds: Sequence[int],
    modes: Sequence[str] = MODES,
    per_seed: int = 1,
    only: Sequence[str] = ("*",),
    jobs: int | None = None,
) -> dict[str, Any]:
    """Write a plan into a folder; what it says of itself.

    Args:
        contract: name of the contract.
        folder: holds no plan yet.
        seeds: where drawing starts.
        modes: how to draw.
        per_seed: cases of each operation, mode and seed.
        only: patterns of operations.
        jobs: processes to draw in.

    Raises:
        Taken: there is one already.
        LookupError: cases of this contract cannot be planned, or nothing matches.
    """
    if (folder / "plan.json").exists():
        raise Taken(f"{folder} holds a plan already; choose another folder")
    draw = partial(_of_seeds, contract, modes, per_seed, only)
    rows = _drawn(draw, seeds, jobs or os.cpu_count() or 1)
    if not rows:
        raise LookupError(
            f"there is nothing to send: no operation that can be drawn matches {', '.join(only)}, or no mode makes a request of it"
        )
    said = {
        "contract": contract,
        "contract_version": suites.load(contract).contract.version,
        "contract_sha256": fingerprint(suites.load(contract).contract),
        "generator": generator_fingerprint(contract),
        "seeds": [min(seeds), max(seeds) + 1],
        "modes": list(modes),
        "per_seed": per_seed,
        "cases": len(rows),
        "operations": len({row["operation_id"] for row in rows}),
    }
    tables.replace(tables.table_of(rows, tables.CASES), folder / "cases")
    tables.write_json(said, folder / "plan.json")
    return said


def _drawn(draw: Callable[[Sequence[int]], list[Row]], seeds: Sequence[int], jobs: int) -> list[Row]:
    """Cases of all seeds in their order, whoever drew them."""
    if len(seeds) <= FEW_SEEDS or jobs == 1:
        return draw(seeds)
    rows: dict[str, Row] = {}
    with ProcessPoolExecutor(min(jobs, len(seeds)), mp_context=multiprocessing.get_context("spawn")) as pool:
        for found in pool.map(draw, [[seed] for seed in seeds]):
            for row in found:
                rows.setdefault(row["case_id"], row)
    return [{**row, "number": number} for number, row in enumerate(rows.values())]


def _of_seeds(contract: str, modes: Sequence[str], per_seed: int, only: Sequence[str], seeds: Sequence[int]) -> list[Row]:
    return planned(contract, seeds=seeds, modes=modes, per_seed=per_seed, only=only)
