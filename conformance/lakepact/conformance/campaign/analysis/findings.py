"""The tables that analysis makes of verdicts and answers; all of them can be made again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lakepact.conformance.campaign.tables import NUMBER, TEXT, WHOLE
from lakepact.conformance.evidence.arrow import pa

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = pa.list_(TEXT)


@dataclass(frozen=True)
class Sources:
    """The inputs of the analysis.

    Args:
        results: folder of the verdicts.
        answers: folder of the normalised answers.
        exchanges: folder of the exchanges.
        base: folder of the verdicts of an earlier run to compare with, if any.
        quiet: words of the starts that had one request in flight at a time.
    """

    results: Path
    answers: Path
    exchanges: Path
    base: Path | None = None
    quiet: tuple[str, ...] = ()


COVERAGE = pa.schema(
    [
        ("target", TEXT),
        ("contract", TEXT),
        ("requirement_id", TEXT),
        ("level", TEXT),
        ("verdict", TEXT),  # the worst
        ("passed", WHOLE),
        ("failed", WHOLE),
        ("warned", WHOLE),
        ("errors", WHOLE),
        ("inconclusive", WHOLE),
        ("cases", WHOLE),
        ("operations", TEXTS),
        ("modes", TEXTS),
        ("first_case_id", TEXT),  # that shows the verdict
    ]
)
DIVERGENCES = pa.schema(
    [
        ("contract", TEXT),
        ("case_id", TEXT),
        ("step", NUMBER),
        ("operation_id", TEXT),
        ("mode", TEXT),
        ("kind", TEXT),
        ("groups", WHOLE),
        ("observations", TEXT),  # an object of JSON: what each target's answer is in this class
        ("requirement_ids", TEXTS),  # that a target breaks in this exchange: what may explain it
    ]
)
REGRESSIONS = pa.schema(
    [
        ("target", TEXT),
        ("contract", TEXT),
        ("case_id", TEXT),
        ("requirement_id", TEXT),
        ("kind", TEXT),
        ("before", TEXT),
        ("after", TEXT),
    ]
)
OUTCOMES = pa.schema(
    [
        ("target", TEXT),
        ("contract", TEXT),
        ("operation_id", TEXT),
        ("mode", TEXT),
        ("state", TEXT),
        ("status", TEXT),
        ("exchanges", WHOLE),
    ]
)
#: Only of what was sent with nothing else on its way: else it would be the waiting that is measured.
LATENCIES = pa.schema(
    [
        ("target", TEXT),
        ("contract", TEXT),
        ("operation_id", TEXT),
        ("exchanges", WHOLE),
        ("p50_us", WHOLE),
        ("p95_us", WHOLE),
        ("p99_us", WHOLE),
    ]
)
TABLES = {
    "coverage": COVERAGE,
    "divergences": DIVERGENCES,
    "regressions": REGRESSIONS,
    "outcomes": OUTCOMES,
    "latencies": LATENCIES,
}
