"""The clients that the causes of a report hurt, and the verdict for some clients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.causes import Severity
from lakepact.conformance.report.evidence import Line
from lakepact.conformance.report.impact import (
    HURTS,
    Effect,
    Impact,
    enumerated,
    impact_of,
    sentence,
)
from lakepact.conformance.report.lines import VERDICTS
from lakepact.conformance.running import runner

#: Ranks of causes of one severity, by their gravest effect; None is of a cause with a requirement that was not measured.
RANKS = {effect: rank for rank, effect in enumerate((*HURTS, None, Effect.WORKS))}


def annotated(
    report: Sequence[dict[str, Any]], names: Sequence[str] = (), *, impact: Impact | None = None
) -> list[dict[str, Any]]:
    """Return a report with the clients that its causes hurt: those that it has, or else those that this lakepact knows.

    Args:
        report: the lines.
        names: the clients of `--for`; the verdict tolerates causes that hurt none of them.
        impact: the measurements; by default those of this lakepact.
    """
    header, *others, footer = report
    impact = impact or impact_of(header["contract"])
    if ("clients" in header and not names) or not impact.clients or header["side"] != "server":
        return list(report)
    header = {**header, "clients": dict(impact.clients), **({"for": list(names)} if names else {})}
    others = [
        _annotated(line, impact, names) if line["line"] == "cause" else line for line in others
    ]
    if names:
        outcomes = {
            line["requirement"]: line["outcome"] for line in others if line["line"] == "result"
        }
        outcomes |= dict.fromkeys(tolerated(others), Outcome.KNOWN_FAIL)
        results = [
            runner.Result(requirement, Outcome(outcome), ())
            for requirement, outcome in outcomes.items()
        ]
        code = (
            runner.INCOMPLETE
            if "stopped" in footer
            else runner.exit_code(results, strict=bool(header["strict"]))
        )
        footer = footer | {"verdict": VERDICTS[code], "exit_code": code}
    return [header, *others, footer]


def _annotated(cause: Line, impact: Impact, names: Sequence[str]) -> dict[str, Any]:
    """Return a cause with the worst measurement of each client, and the requirements that were not measured with the named ones."""
    tables = {
        requirement: impact.requirements.get(requirement, {})
        for requirement in cause["requirements"]
    }
    line = {name: member for name, member in cause.items() if name != "tolerated"}
    line["clients"] = {client: asdict(harm) for client, harm in impact.worst(tables).items()}
    line["unmeasured"] = [
        each for each, table in tables.items() if not table or set(names) - table.keys()
    ]
    # One client alone does not meet what a race or a later reader loses: a cause that loses data counts unless it is never called.
    uncalled = all(
        line["clients"].get(name, {}).get("outcome") == Effect.NOT_CALLED for name in names
    )
    if (
        names
        and _rank(line, names) == RANKS[Effect.WORKS]
        and (uncalled or line["severity"] != Severity.DATA)
    ):
        line["tolerated"] = (
            f"does not hurt {enumerated([impact.clients[name] for name in names], 'or')}"
        )
    return line


def _rank(cause: Line, names: Sequence[str]) -> int:
    """Return the rank of a cause by its gravest effect on the named clients, or on all."""
    harmless = None if cause.get("unmeasured", True) else Effect.WORKS
    outcomes = [
        harm["outcome"]
        for client, harm in cause.get("clients", {}).items()
        if client in names or not names
    ]
    return min(
        (RANKS[outcome] for outcome in outcomes if outcome in HURTS), default=RANKS[harmless]
    )


def in_order(report: Sequence[dict[str, Any]], *, renumber: bool) -> list[dict[str, Any]]:
    """Return an annotated report with its causes by severity, then by harm; causes that are tolerated come last.

    Args:
        report: the lines.
        renumber: also number the causes in this order.
    """
    severities, names = {severity: severity.rank for severity in Severity}, report[0].get("for", ())
    causes = sorted(
        (line for line in report if line["line"] == "cause"),
        key=lambda cause: (
            "tolerated" in cause,
            severities.get(cause["severity"], len(severities)),
            _rank(cause, names),
        ),
    )
    following, members = iter(causes), {"cause": "number", "result": "cause"}
    places = (
        {cause["number"]: place for place, cause in enumerate(causes, start=1)} if renumber else {}
    )
    lines = (next(following) if line["line"] == "cause" else line for line in report)
    return [
        line | {m: places[line[m]]}
        if (m := members.get(line["line"], "")) in line and line[m] in places
        else line
        for line in lines
    ]


def tolerated(report: Sequence[Line]) -> dict[str, str]:
    """Return the requirements of the causes that do not fail the run, with the reason."""
    causes = [line for line in report if line["line"] == "cause" and "tolerated" in line]
    return {
        requirement: cause["tolerated"] for cause in causes for requirement in cause["requirements"]
    }


def terms(header: Line, cause: Line) -> dict[str, str]:
    """Return by labels the clients that a cause hurts, and why it does not fail the run; empty where nothing was measured."""
    shown = sentence(
        header.get("clients", {}),
        {client: harm["outcome"] for client, harm in cause.get("clients", {}).items()},
    )
    if shown:
        lacking = len(cause.get("unmeasured", ()))
        missing = f"; {lacking} of {len(cause['requirements'])} requirements not{' with each client' if 'for' in header else ''}"
        shown += f" (measured with other faults{missing if lacking else ''})"
    return {
        label: text
        for label, text in {"clients": shown, "not counted": cause.get("tolerated", "")}.items()
        if text
    }


def for_clients(header: Line) -> str:
    """Return the clients that the verdict is for, such as " for pyiceberg 0.12.0"; empty without `--for`."""
    titles = header.get("clients", {})
    return (
        f" for {enumerated([titles.get(name, name) for name in header['for']])}"
        if "for" in header
        else ""
    )


def scope(report: Sequence[Line]) -> str:
    """Return how `--for` changes the verdict of a report; empty without it."""
    if not (clients := for_clients(report[0])):
        return ""
    ranks = Counter(_rank(line, report[0]["for"]) for line in report if line["line"] == "cause")
    spared, unmeasured = ranks[RANKS[Effect.WORKS]], ranks[RANKS[None]]
    return (
        f"Checked{clients}. Causes that hurt none of them, and do not fail the run: {spared}. "
        f"Causes that count because a requirement was never measured with them: {unmeasured}. Each client met one fault per requirement."
    )


def hurt(report: Sequence[Line]) -> dict[str, dict[str, list[int]]]:
    """Return the numbers of the causes that hurt each client of an annotated report, by its title and by effect, the gravest first."""
    causes = [line for line in report if line["line"] == "cause"]
    found: dict[str, dict[str, list[int]]] = {}
    for client, title in report[0].get("clients", {}).items():
        outcomes = {
            cause["number"]: harm["outcome"]
            for cause in causes
            if (harm := cause.get("clients", {}).get(client))
        }
        if outcomes or not causes:
            numbers = {
                effect: [number for number, outcome in outcomes.items() if outcome == effect]
                for effect in HURTS
            }
            found[title] = {effect.value: listed for effect, listed in numbers.items() if listed}
    return found
