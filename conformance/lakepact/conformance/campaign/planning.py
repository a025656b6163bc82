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
    from collections.abc import Sequence
    from pathlib import Path

FEW_SEEDS = 2  #: that are drawn before another process has started


class Taken(ValueError):
    """A folder that holds a plan already."""


def plan(
    contract: str, folder: Path, *, seeds: Sequence[int], modes: Sequence[str] = MODES, per_seed: int = 1, jobs: int | None = None
) -> dict[str, Any]:
    """Write a plan into a folder; what it says of itself.

    Raises:
        Taken: there is one already.
        LookupError: cases of this contract cannot be planned.
    """
    if (folder / "plan.json").exists():
        raise Taken(f"{folder} holds a plan already; choose another folder")
    rows = _drawn(contract, seeds, modes=modes, per_seed=per_seed, jobs=jobs or os.cpu_count() or 1)
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


def _drawn(contract: str, seeds: Sequence[int], *, modes: Sequence[str], per_seed: int, jobs: int) -> list[dict[str, Any]]:
    """Cases of all seeds in their order, whoever drew them."""
    if len(seeds) <= FEW_SEEDS or jobs == 1:
        return planned(contract, seeds=seeds, modes=modes, per_seed=per_seed)
    draw = partial(_of_one_seed, contract, modes, per_seed)
    with ProcessPoolExecutor(min(jobs, len(seeds)), mp_context=multiprocessing.get_context("spawn")) as pool:
        rows = {row["case_id"]: row for found in reversed(list(pool.map(draw, seeds))) for row in reversed(found)}
    return [{**row, "number": number} for number, row in enumerate(reversed(rows.values()))]


def _of_one_seed(contract: str, modes: Sequence[str], per_seed: int, seed: int) -> list[dict[str, Any]]:
    return planned(contract, seeds=[seed], modes=modes, per_seed=per_seed)
