"""Writes a plan: the cases of contracts and seeds, drawn side by side wherever an engine has them drawn, each kept once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.planning.cases import fingerprint
from lakepact.conformance.campaign.planning.generation import MODES, blocks, drawn, generator_fingerprint, merged
from lakepact.conformance.running import suite as suites

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from lakepact.conformance.campaign.planning.generation import Block

    Row = dict[str, Any]
    Drawing = Callable[[Sequence[Block]], Iterable[list[Row]]]  #: the rows of each block, in the order of blocks

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
    draw: Drawing = drawn,
) -> dict[str, Any]:
    """Write a plan into a folder; what it says of itself.

    Args:
        contracts: name of a contract, or of several.
        folder: holds no plan yet.
        seeds: where drawing starts.
        modes: how to draw.
        per_seed: cases of each operation, mode and seed.
        only: patterns of operations.
        draw: has blocks of cases drawn; here, if nothing is said.

    Raises:
        Taken: there is one already.
        LookupError: cases of a contract cannot be planned, or nothing matches.
    """
    names = (contracts,) if isinstance(contracts, str) else tuple(dict.fromkeys(contracts))
    if (folder / "plan.json").exists():
        raise Taken(f"{folder} holds a plan already; choose another folder")
    wanted = [block for name in names for block in blocks(name, seeds=seeds, modes=modes, per_seed=per_seed, only=only)]
    rows = merged(draw(wanted))
    if not rows:
        raise LookupError(
            f"there is nothing to send: no operation that can be drawn matches {', '.join(only)}, or no mode makes a request of it"
        )
    said = {
        "contracts": {name: _contract(name) for name in names},
        "seeds": [min(seeds), max(seeds) + 1],
        "modes": list(modes),
        "per_seed": per_seed,
        "cases": len(rows),
        "cases_by_contract": {name: sum(row["contract"] == name for row in rows) for name in names},
        "operations": len({(row["contract"], row["operation_id"]) for row in rows}),
    }
    tables.replace(tables.table_of(rows, tables.CASES), folder / "cases")
    tables.write_json(said, folder / "plan.json")
    return said


def _contract(name: str) -> dict[str, str]:
    contract = suites.load(name).contract
    return {"version": contract.version, "sha256": fingerprint(contract), "generator": generator_fingerprint(name)}
