"""The cases of a plan by seeds: a seed gives the same numbered cases wherever it is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import tee
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.paths import parquet_writer
from lakepact.conformance.campaign.planning.cases import CHECK
from lakepact.conformance.campaign.planning.generation import Block, blocks, drawn

Rows = list[dict[str, Any]]

NUMBERS = 10_000  #: of a seed and contract, for each case that is drawn of an operation and mode
TOGETHER = 1000  #: cases that are written at once


@dataclass(frozen=True)
class Wanted:
    """The cases of a plan, as `plans.plan` has them.

    Args:
        contracts: names of contracts.
        seeds: where drawing starts.
        modes: how to draw.
        per_seed: cases of each operation, mode and seed.
        only: patterns of operations.
    """

    contracts: tuple[str, ...]
    seeds: Sequence[int]
    modes: tuple[str, ...]
    per_seed: int
    only: tuple[str, ...]

    @property
    def places(self) -> range:
        """Places in the plan: each seed with each contract."""
        return range(len(self.seeds) * len(self.contracts))

    def blocks(self, place: int) -> list[Block]:
        """Return the blocks of a place; checks, which have no seed, are in those of the first
        seed.
        """
        turn, contract = divmod(place, len(self.contracts))
        modes = [mode for mode in self.modes if turn == 0 or mode != CHECK]
        return blocks(
            self.contracts[contract],
            seeds=[self.seeds[turn]],
            modes=modes,
            per_seed=self.per_seed,
            only=self.only,
        )

    def rows(self, places: Iterable[int]) -> Iterator[Rows]:
        """Yield the cases of places, some at a time; a number says the place of a case and its
        place there.
        """
        places_of_blocks, pairs = tee(
            (place, block) for place in places for block in self.blocks(place)
        )
        last, number = -1, 0
        for (place, _), rows in zip(
            places_of_blocks, drawn(block for _, block in pairs), strict=True
        ):
            if place != last:
                last, number = place, place * NUMBERS * self.per_seed
            yield [{**row, "number": number + n} for n, row in enumerate(rows)]
            number += len(rows)


def write(batches: Iterable[Rows], folder: Path) -> None:
    """Write cases in the order of places as one file, each once."""
    ids: set[str] = set()
    folder.mkdir(parents=True, exist_ok=True)
    with parquet_writer(folder / "part-00000.parquet", tables.CASES) as file:
        rows: Rows = []
        for some in batches:
            for row in some:
                if row["case_id"] not in ids:
                    ids.add(row["case_id"])
                    rows.append(row)
            if len(rows) >= TOGETHER:
                file.write_table(tables.table_of(rows, tables.CASES))
                rows = []
        file.write_table(tables.table_of(rows, tables.CASES))


def draw(selection: Wanted, folder: Path) -> None:
    """Draw the cases of a plan in this process, and write them."""
    write(selection.rows(selection.places), folder)
