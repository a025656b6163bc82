"""The clients that the causes of a report hurt: those that were measured with the very fault that
the report shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.cases import deviations
from lakepact.conformance.report.causes import Severity
from lakepact.conformance.report.impact import HURTS, Effect, Impact, impact_of
from lakepact.conformance.report.outline import outline

if TYPE_CHECKING:
    from lakepact.generated.report import (
        CauseLine,
        ClientLine,
        Clients,
        HeaderLine,
        Line,
        ResultLine,
    )

#: Ranks of causes of one severity, by their gravest effect; None is of a cause that was not
#: measured.
RANKS = {effect: rank for rank, effect in enumerate((*HURTS, None))}


def annotated(report: Sequence[Line], *, impact: Impact | None = None) -> list[Line]:
    """Return a report with the clients that its causes hurt, as far as its faults were measured.

    A fault was measured if the report has every deviation that the suite finds with it: of the same
    checks, in the same operation, at the same place of the answer, and none that is unclear.

    Args:
        report: the lines.
        impact: the measurements; by default those of this lakepact.
    """
    shown = outline(report)
    impact = impact or impact_of(shown.header["contract"])
    if not impact.clients or not shown.is_of_a_server:
        return list(report)
    measured = impact.of_faults(deviations(report))
    causes = [_with_clients(cause, measured) for cause in shown.causes]
    header: HeaderLine = {**shown.header, "clients": dict(impact.clients)}
    return shown.lines(header, shown.results, causes)


def _with_clients(cause: CauseLine, measured: Impact) -> CauseLine:
    harms = measured.worst(cause["requirements"]).items()
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


def _rank(cause: CauseLine) -> int:
    """Return the rank of a cause by its gravest effect on a client."""
    outcomes = (Effect(harm["outcome"]) for harm in cause["clients"].values())
    return min((RANKS[outcome] for outcome in outcomes), default=RANKS[None])


def in_order(report: Sequence[Line]) -> list[Line]:
    """Return an annotated report with its causes numbered by outcome, severity and harm."""
    shown, severities = outline(report), list(Severity)
    causes = sorted(
        shown.causes,
        key=lambda cause: (
            cause["outcome"] != Outcome.FAIL,
            severities.index(Severity(cause["severity"])),
            _rank(cause) if "clients" in cause else 0,
        ),
    )
    places = {cause["number"]: place for place, cause in enumerate(causes, start=1)}
    results: list[ResultLine] = [
        {**line, "cause": places[line["cause"]]} if "cause" in line else line
        for line in shown.results
    ]
    numbered: list[CauseLine] = [{**cause, "number": places[cause["number"]]} for cause in causes]
    clients: list[ClientLine] = [
        {
            **line,
            "findings": [
                {**task, "cause": places[task["cause"]]} if "cause" in task else task
                for task in line["findings"]
            ],
        }
        for line in shown.clients
    ]
    return replace(shown, clients=clients).lines(shown.header, results, numbered)
