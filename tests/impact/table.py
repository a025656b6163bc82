"""The committed table: for each requirement its mutant, and the outcome of each client."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

from impact.deviating import deviating
from lakepact.conformance.programs.everyday.outcomes import CONTRACT, NOT_CALLED, SEVERITY, VERSION
from lakepact.generated.contract import Contract
from mutants import faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clients_matrix.clients import ClientProgram

CANDIDATES = 2  #: mutants of a requirement that are measured until one hurts a client
#: Features of servers that know their callers or sign requests: the everyday programme runs on an
#: open server.
ELSEWHERE = frozenset(
    {"authentication", "oauth-tokens", "token-exchange", "second-principal", "remote-signing"}
)


def candidates() -> dict[str, tuple[str, ...]]:
    """Return mutants of each requirement that binds an open server: those that break the fewest
    others, with the shortest names.
    """
    found: dict[str, tuple[str, ...]] = {}
    demanded = Contract(CONTRACT, VERSION).requirements
    for fault in sorted(
        faults(CONTRACT, VERSION).values(),
        key=lambda each: (len(each.breaks), len(each.name), each.name),
    ):
        for name in fault.breaks:
            requirement = demanded[name]
            if (
                requirement.level == "MUST"
                and requirement.side == "server"
                and not ELSEWHERE.intersection(requirement.features)
            ):
                found[name] = (*found.get(name, ()), fault.name)[:CANDIDATES]
    return dict(sorted(found.items()))


def listed(lines: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the entry of each requirement: its mutant that hurts clients most, among those that
    were measured with the most clients.

    Args:
        lines: the results; of two about the same, the later one counts.
    """
    measured: dict[str, dict[str, dict[str, Any]]] = {}
    for line in lines:
        outcome = {
            member: line[member] for member in ("outcome", "task", "detail") if line.get(member)
        }
        measured.setdefault(line["requirement"], {}).setdefault(line["mutant"], {})[
            line["client"]
        ] = outcome
    found: dict[str, dict[str, Any]] = {}
    for requirement, mutants in candidates().items():
        outcomes = {mutant: measured.get(requirement, {}).get(mutant, {}) for mutant in mutants}
        mutant = max(outcomes, key=lambda each: (len(outcomes[each]), _harm(outcomes[each])))
        if any(one["outcome"] != NOT_CALLED for one in outcomes[mutant].values()):
            found[requirement] = {"mutant": mutant, "clients": outcomes[mutant]}
    return found


def _harm(outcomes: Mapping[str, dict[str, Any]]) -> int:
    return sum(
        SEVERITY.index(one["outcome"]) for one in outcomes.values() if one["outcome"] != NOT_CALLED
    )


def is_harmless(entry: Mapping[str, Any] | None) -> bool:
    """Return whether an entry is there, and hurts no client."""
    return entry is not None and not _harm(entry["clients"])


def table(
    lines: Iterable[dict[str, Any]], clients: Mapping[str, ClientProgram], *, jobs: int
) -> dict[str, Any]:
    """Return the table of all results.

    Args:
        lines: the results.
        clients: by their names in the table.
        jobs: servers at a time, on which the suite looks at the mutants.
    """
    found = listed(lines)
    shown = deviating({name: entry["mutant"] for name, entry in found.items()}, jobs=jobs)
    found = {name: {**entry, "deviations": shown[name]} for name, entry in found.items()}
    measured = {name for entry in found.values() for name in entry["clients"]}
    return {
        "contract": CONTRACT,
        "version": VERSION,
        "measured": dt.datetime.now(dt.UTC).date().isoformat(),
        "clients": {
            name: {"title": each.title, "version": each.version}
            for name, each in clients.items()
            if name in measured
        },
        "requirements": found,
    }


def text_of(found: dict[str, Any]) -> str:
    """Return a table as JSON with sorted members and one requirement in a line."""
    lines = [f'  "{name}": {_json(entry)}' for name, entry in sorted(found["requirements"].items())]
    members = {name: _json(value) for name, value in found.items()} | {
        "requirements": "{\n" + ",\n".join(lines) + "\n}"
    }
    return (
        "{\n" + ",\n".join(f'"{name}": {text}' for name, text in sorted(members.items())) + "\n}\n"
    )


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
