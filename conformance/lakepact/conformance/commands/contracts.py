"""`lakepact contracts diff`: changes between two versions of a contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import click
import orjson

from lakepact.generated.contract import Contract
from lakepact.generated.contract import contracts as known

MARKS = {"added": "+", "removed": "-", "changed": "~"}
CONTRARY = {"added": "removed", "removed": "added", "changed": "changed"}
AS_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")


@click.command("diff")
@click.argument("contract", type=click.Choice(known()))
@click.argument("old")
@click.argument("new")
@AS_JSON
def diff(contract: str, old: str, new: str, *, as_json: bool) -> None:
    """Show the changes between two versions of a contract, and what a server of the OLD one must
    change.

    Example: lakepact contracts diff iceberg_rest 1.10.0 1.11.0
    """
    difference = between(Contract(contract), old, new)
    if as_json:
        click.echo(orjson.dumps(difference, option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo("\n".join(as_text(difference)))


def between(contract: Contract, old: str, new: str) -> Mapping[str, Any]:
    """Return the differences of `new` from `old`.

    Raises:
        click.UsageError: no comparison of these two versions exists.
    """
    main = contract.versions[0]
    if (old == main and new in contract.other_versions) or (old, new) in pairwise(
        contract.versions
    ):
        return contract.difference(new, since=old)
    if new == main and old in contract.other_versions:
        return _reverse(contract, contract.difference(old))
    others = ", ".join(contract.other_versions) or "none"
    raise click.UsageError(
        f"cannot compare {old} with {new}: {contract.name} {contract.version} can be compared with"
        f" {others}"
    )


def _reverse(contract: Contract, difference: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the difference in the opposite direction."""
    parts = {
        part: _reverse_part(difference[part])
        for part in ("operations", "schemas", "requirements", "features")
    }
    again = [
        _row_of(contract, i)
        for i in [*parts["requirements"]["added"], *parts["requirements"]["changed"]]
    ]
    return {
        **difference,
        "from": difference["to"],
        "to": difference["from"],
        "additions": [],
        "demands": again,
        **parts,
    }


def _reverse_part(part: Mapping[str, Any]) -> dict[str, Any]:
    changes = {
        name: {place: CONTRARY[what] for place, what in places.items()}
        for name, places in part["changed"].items()
    }
    return {"added": part["removed"], "removed": part["added"], "changed": changes}


def _row_of(contract: Contract, identifier: str) -> dict[str, Any]:
    """Return a requirement as a row of a difference."""
    requirement = contract.requirements[identifier]
    members = (
        "id",
        "level",
        "sentence",
        "clause",
        "basis",
        "area",
        "operations",
        "features",
        "side",
        "difference",
    )
    return {member: getattr(requirement, member) for member in members}


def as_text(difference: Mapping[str, Any]) -> Iterator[str]:
    """Yield a difference of versions as lines of text."""
    yield f"{difference['contract']} {difference['from']} -> {difference['to']}"
    if difference["additions"]:
        yield from ("", "Added", *(f"  {addition}" for addition in difference["additions"]))
    for part in ("operations", "schemas", "features"):
        lines = list(_lines(difference[part]))
        if lines:
            yield from ("", part.capitalize(), *lines)
    for side, whose in (
        ("server", "New requirements for servers"),
        ("client", "New requirements for clients"),
    ):
        demands = [demand for demand in difference["demands"] if demand["side"] == side]
        if demands:
            yield from ("", f"{whose} ({len(demands)})", *map(_demand, demands))
    if difference["requirements"]["removed"]:
        yield from (
            "",
            "No longer demanded",
            *(f"  {identifier}" for identifier in difference["requirements"]["removed"]),
        )


def _lines(part: Mapping[str, Any]) -> Iterator[str]:
    for what in ("added", "removed"):
        yield from (f"  {MARKS[what]} {name}" for name in part[what])
    for name, places in part["changed"].items():
        changes = "; ".join(f"{place.lstrip('/')} {what}" for place, what in places.items())
        yield f"  {MARKS['changed']} {name}: {changes}"


def _demand(demand: Mapping[str, Any]) -> str:
    only = f" (only with {', '.join(demand['features'])})" if demand["features"] else ""
    return f"  {demand['id']:<18} {demand['level']:<6} {demand['sentence']}{only}"
