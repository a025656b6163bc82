"""The clients that the causes of a report hurt: those that were measured with the very fault that
the report shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lakepact.conformance.report.grouping.cases import deviations
from lakepact.conformance.report.impact import HURTS, Impact, impact_of
from lakepact.conformance.report.outline import Outline

if TYPE_CHECKING:
    from lakepact.generated.report import CauseLine, Clients, HeaderLine, Line


def with_clients(report: Sequence[Line], *, impact: Impact | None = None) -> list[Line]:
    """Return a report with the clients that its causes hurt, as far as its faults were measured.

    A fault was measured if the report has every deviation that the suite finds with it: of the same
    checks, in the same operation, at the same place of the answer, and none that is unclear.

    Args:
        report: the lines.
        impact: the measurements; by default those of this lakepact.
    """
    outline = Outline.of(report)
    impact = impact or impact_of(outline.header["contract"])
    if not impact.clients or not outline.is_of_a_server:
        return list(report)
    measurements = impact.of_faults(deviations(report))
    header: HeaderLine = {**outline.header, "clients": dict(impact.clients)}
    _, *others = report
    return [
        header,
        *(_of_cause(line, measurements) if line["line"] == "cause" else line for line in others),
    ]


def _of_cause(cause: CauseLine, measurements: Impact) -> CauseLine:
    harms = measurements.worst(cause["requirements"]).items()
    clients: dict[str, Clients] = {
        client: {
            "outcome": harm.outcome.value,
            "requirement": harm.requirement,
            "task": harm.task,
            "detail": harm.detail,
        }
        for client, harm in harms
        if harm.outcome in HURTS
    }
    return {**cause, "clients": clients}
