"""Verdicts of many exchanges, column by column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from lakepact.conformance.arrow import Array, Table, pa, pc
from lakepact.conformance.campaign.judging.answers import CLASSES
from lakepact.conformance.campaign.tables import ANSWERS, RESULTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lakepact.conformance.campaign.judging.partial_exchanges import Kind
    from lakepact.conformance.campaign.judging.verdicts import Verdict

WHOSE = ("run_id", "target", "contract", "case_id", "operation_id", "mode")


@dataclass(frozen=True)
class Said:
    """The verdicts of an exchange.

    Args:
        kinds: indexes of the kinds of verdicts that the judge has seen.
        texts: the verdicts with a text.
        answer: the classes of the normalised answer.
    """

    kinds: Any
    texts: Sequence[Verdict]
    answer: tuple[str, ...]


@dataclass
class Kinds:
    """Kinds of verdicts that were met, each with a place."""

    places: dict[Kind, int] = field(default_factory=dict)

    def of(self, verdicts: Iterable[Kind]) -> Any:
        """Return the index of a value; a new value is appended."""
        return np.array([self.places.setdefault(kind, len(self.places)) for kind in verdicts], np.int64)

    def column(self, number: int, places: Any) -> Array:
        """One of the four things that a kind says, for many verdicts."""
        texts = [kind[number] for kind in self.places]
        return pa.array(texts, pa.string()).dictionary_encode().take(pa.array(places))


def counts_of(found: Sequence[Said]) -> Any:
    """Return how many verdicts there are on each exchange."""
    return np.fromiter((len(said.kinds) for said in found), np.int64, len(found))


def results_of(exchanges: Table, found: Sequence[Said], kinds: Kinds) -> Table:
    """Return the verdicts on some exchanges.

    Args:
        exchanges: rows of the table of that name.
        found: what is said of each.
        kinds: where the kinds of these verdicts have their places.
    """
    counts = counts_of(found)
    rows = np.repeat(np.arange(len(found)), counts)
    places = np.concatenate([np.empty(0, np.int64), *(said.kinds for said in found)])
    texts: dict[str, int] = {"": 0}
    expected, observed = np.zeros(len(places), np.int32), np.zeros(len(places), np.int32)
    status = exchanges.column("http_status").to_numpy()[rows]
    steps = exchanges.column("step").to_numpy()[rows].astype(np.int32)
    without = np.zeros(len(places), bool)
    for start, said in zip(np.cumsum(counts) - counts, found, strict=True):
        for place, (_, wanted, came, http_status, step) in enumerate(said.texts, int(start)):
            expected[place] = texts.setdefault(wanted, len(texts))
            observed[place] = texts.setdefault(came, len(texts))
            without[place] = http_status is None
            steps[place] = step
    spoken = pa.array(list(texts), pa.string())
    columns = {
        "check_id": kinds.column(0, places),
        "requirement_id": kinds.column(1, places),
        "level": kinds.column(2, places),
        "verdict": kinds.column(3, places),
        "expected": pa.DictionaryArray.from_arrays(pa.array(expected), spoken),
        "observed": pa.DictionaryArray.from_arrays(pa.array(observed), spoken),
        "step": pa.array(steps),
        "http_status": pa.array(status, pa.int32(), mask=without),
    }
    taken = pa.array(rows)
    for name in WHOSE:
        columns[name] = pc.dictionary_encode(exchanges.column(name)).take(taken)
    return pa.table({name: columns[name] for name in RESULTS.names})


def answers_of(exchanges: Table, found: Sequence[Said]) -> Table:
    """Return the normalised answers of some exchanges."""
    columns = {name: exchanges.column(name) for name in (*WHOSE, "step", "state")}
    for number, name in enumerate(CLASSES):
        columns[name] = pa.array([said.answer[number] for said in found], pa.string())
    return pa.table({name: columns[name] for name in ANSWERS.names}).cast(ANSWERS)
