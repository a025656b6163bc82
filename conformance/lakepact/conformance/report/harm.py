"""The clients that the causes of a report hurt: those that were measured with the very fault that the report shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.cases import Line, deviations
from lakepact.conformance.report.causes import Severity
from lakepact.conformance.report.impact import HURTS, Effect, Impact, impact_of, sentence

#: Ranks of causes of one severity, by their gravest effect; None is of a cause that was not measured.
RANKS = {effect: rank for rank, effect in enumerate((*HURTS, None))}


def annotated(
    report: Sequence[dict[str, Any]], *, impact: Impact | None = None
) -> list[dict[str, Any]]:
    """Return a report with the clients that its causes hurt, as far as its faults were measured.

    A fault was measured if the report has every deviation that the suite finds with it: of the same
    checks, in the same operation, at the same place of the answer, and none that is unclear.

    Args:
        report: the lines.
        impact: the measurements; by default those of this lakepact.
    """
    header, *others, footer = report
    impact = impact or impact_of(header["contract"])
    if not impact.clients or header["side"] != "server":
        return list(report)
    shown = deviations(others)
    measured = impact.of_faults(shown)
    others = [
        {
            **line,
            "clients": {
                client: asdict(harm)
                for client, harm in measured.worst(line["requirements"]).items()
                if harm.outcome in HURTS
            },
        }
        if line["line"] == "cause"
        else line
        for line in others
    ]
    return [{**header, "clients": dict(impact.clients)}, *others, footer]


def _rank(cause: Line) -> int:
    """Return the rank of a cause by its gravest effect on a client."""
    outcomes = (Effect(harm["outcome"]) for harm in cause["clients"].values())
    return min((RANKS[outcome] for outcome in outcomes), default=RANKS[None])


def in_order(report: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return an annotated report with its causes numbered by outcome, severity and harm."""
    severities = list(Severity)
    causes = sorted(
        (line for line in report if line["line"] == "cause"),
        key=lambda cause: (
            cause["outcome"] != Outcome.FAIL,
            severities.index(cause["severity"]),
            _rank(cause) if "clients" in cause else 0,
        ),
    )
    following, members = iter(causes), {"cause": "number", "result": "cause"}
    places = {cause["number"]: place for place, cause in enumerate(causes, start=1)}
    lines = (next(following) if line["line"] == "cause" else line for line in report)
    return [
        line | {m: places[line[m]]}
        if (m := members.get(line["line"], "")) in line
        else _renumbered(line, places)
        for line in lines
    ]


def _renumbered(line: dict[str, Any], places: Mapping[int, int]) -> dict[str, Any]:
    """Return the line of a client whose tasks name causes by their new numbers; any other line unchanged."""
    if line["line"] != "client":
        return line
    tasks = [
        task | ({"cause": places[task["cause"]]} if "cause" in task else {})
        for task in line["findings"]
    ]
    return {**line, "findings": tasks}


def terms(header: Line, cause: Line) -> dict[str, str]:
    """Return by labels the clients that a cause hurts; empty where nothing was measured."""
    outcomes = {client: harm["outcome"] for client, harm in cause.get("clients", {}).items()}
    hurt = sentence(header.get("clients", {}), outcomes)
    return {"clients": f"{hurt} (measured with this fault)"} if hurt else {}
