"""Writes a plan: the cases of contracts and seeds, drawn and written by an engine, each kept
once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.paths import move, remove
from lakepact.conformance.campaign.planning import seeds as by_seeds
from lakepact.conformance.campaign.planning.cases import fingerprint
from lakepact.conformance.campaign.planning.generation import MODES, generator_fingerprint
from lakepact.conformance.running import suite as suites

Drawing = Callable[[by_seeds.Wanted, Path], None]  #: writes the cases into a folder

ONE_SEED = range(1)


class Taken(ValueError):
    """A folder that holds a plan already."""


def plan(
    contracts: str | Sequence[str],
    folder: Path,
    *,
    seeds: Sequence[int] = ONE_SEED,
    modes: Sequence[str] = MODES,
    per_seed: int = 1,
    only: Sequence[str] = ("*",),
    draw: Drawing = by_seeds.draw,
) -> dict[str, Any]:
    """Write a plan into a folder, and return its document.

    Args:
        contracts: name of a contract, or of several.
        folder: holds no plan yet.
        seeds: where drawing starts.
        modes: how to draw.
        per_seed: cases of each operation, mode and seed.
        only: patterns of operations.
        draw: draws the cases and writes them into a folder; by default in this process.

    Raises:
        Taken: there is one already.
        LookupError: cases of a contract cannot be planned, or nothing matches.
    """
    names = (contracts,) if isinstance(contracts, str) else tuple(dict.fromkeys(contracts))
    if (folder / "plan.json").exists():
        raise Taken(f"{folder} holds a plan already; choose another folder")
    fresh = folder / "_cases"
    remove(fresh)
    draw(by_seeds.Wanted(names, seeds, tuple(modes), per_seed, tuple(only)), fresh)
    counts = tables.counts(fresh, tables.CASES, ["contract"])
    if not counts:
        remove(folder)
        raise LookupError(
            f"there is nothing to send: no operation that can be drawn matches {', '.join(only)},"
            " or no mode makes a request of it"
        )
    by_contract = Counter(dict.fromkeys(names, 0))
    for (name,), cases in counts.items():
        by_contract[name] += cases
    document = {
        "contracts": {name: _contract(name) for name in names},
        "seeds": [min(seeds), max(seeds) + 1],
        "modes": list(modes),
        "per_seed": per_seed,
        "cases": by_contract.total(),
        "cases_by_contract": by_contract,
    }
    remove(folder / "cases")
    move(fresh, folder / "cases")
    tables.write_json(document, folder / "plan.json")
    return document


def _contract(name: str) -> dict[str, str]:
    contract = suites.load(name).contract
    return {
        "version": contract.version,
        "sha256": fingerprint(contract),
        "generator": generator_fingerprint(name),
    }
