"""The committed table: for each requirement its mutant, and the outcome of each client."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

from impact.outcomes import CONTRACT, NOT_CALLED, VERSION
from lakepact.generated.contract import Contract
from mutants import faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clients_matrix.clients import ClientProgram

#: Features of servers that know their callers or sign requests: the everyday programme runs on an open server.
ELSEWHERE = frozenset({"authentication", "oauth-tokens", "token-exchange", "second-principal", "remote-signing"})


def chosen_mutants() -> dict[str, str]:
    """Return a mutant for each requirement that binds an open server: the one that breaks the fewest others, with the shortest name."""
    found: dict[str, str] = {}
    demanded = Contract(CONTRACT, VERSION).requirements
    for fault in sorted(faults(CONTRACT, VERSION).values(), key=lambda each: (len(each.breaks), len(each.name), each.name)):
        for name in fault.breaks:
            requirement = demanded[name]
            if requirement.level == "MUST" and requirement.side == "server" and not ELSEWHERE.intersection(requirement.features):
                found.setdefault(name, fault.name)
    return dict(sorted(found.items()))


def table(lines: Iterable[dict[str, Any]], clients: Mapping[str, ClientProgram]) -> dict[str, Any]:
    """Return the table of all results that are about the mutants of today.

    Args:
        lines: the results; of two about the same, the later one counts.
        clients: by their names in the table.
    """
    mutants = chosen_mutants()
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        requirement = line["requirement"]
        if mutants.get(requirement) == line["mutant"]:
            entry = found.setdefault(requirement, {"mutant": line["mutant"], "clients": {}})
            entry["clients"][line["client"]] = {member: line[member] for member in ("outcome", "task", "detail") if line.get(member)}
    shown = {r: entry for r, entry in found.items() if any(one["outcome"] != NOT_CALLED for one in entry["clients"].values())}
    measured = {name for entry in shown.values() for name in entry["clients"]}
    return {
        "contract": CONTRACT,
        "version": VERSION,
        "measured": dt.datetime.now(dt.UTC).date().isoformat(),
        "clients": {name: {"title": each.title, "version": each.version} for name, each in clients.items() if name in measured},
        "requirements": shown,
    }


def text_of(found: dict[str, Any]) -> str:
    """Return a table as JSON with one requirement in a line."""
    head = {name: value for name, value in found.items() if name != "requirements"}
    lines = [f'  "{name}": {_json(entry)}' for name, entry in sorted(found["requirements"].items())]
    members = [f'"{name}": {_json(value)}' for name, value in head.items()] + ['"requirements": {\n' + ",\n".join(lines) + "\n}"]
    return "{" + ",\n".join(members) + "}\n"


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
