"""`lakepact contracts list` and `lakepact contracts diff`: which contracts and versions are known, and what changed between two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import orjson

from lakepact.generated.contract import Contract
from lakepact.generated.contract import contracts as known

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MARKS = {"added": "+", "removed": "-", "changed": "~"}
CONTRARY = {"added": "removed", "removed": "added", "changed": "changed"}
AS_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")


@click.group()
def contracts() -> None:
    """The contracts that this installation knows, and their versions."""


@contracts.command("list")
@AS_JSON
def list_contracts(*, as_json: bool) -> None:
    """List contracts and versions: what can be served and judged, and what is only compared.

    Example: lakepact contracts list
    """
    rows = [row for name in known() for row in _versions(Contract(name))]
    if as_json:
        click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
        return
    widths = {column: max(len(row[column]) for row in rows) for column in ("contract", "version", "is")}
    for row in rows:
        click.echo("  ".join([*(row[column].ljust(width) for column, width in widths.items()), row["title"]]))


def _versions(contract: Contract) -> Iterator[dict[str, str]]:
    of = f"a profile of {contract.profile_of}: " if contract.profile_of else ""
    for version in (contract.version, *contract.other_versions):
        what = "client, server and suite" if version == contract.version else "server and suite"
        yield {
            "contract": contract.name,
            "version": version,
            "is": of + what if version in contract.versions else "compared only",
            "title": contract.title,
        }


@contracts.command("diff")
@click.argument("contract", type=click.Choice(known()))
@click.argument("old")
@click.argument("new")
@AS_JSON
def diff(contract: str, old: str, new: str, *, as_json: bool) -> None:
    """Say what changed from one version of a contract to another, and what a server of the OLD one must change to keep the NEW one.

    Example: lakepact contracts diff iceberg_rest 1.10.0 1.11.0
    """
    difference = between(Contract(contract), old, new)
    if as_json:
        click.echo(orjson.dumps(difference, option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo("\n".join(described(difference)))


def between(contract: Contract, old: str, new: str) -> Mapping[str, Any]:
    """What `new` has more, less or otherwise than `old`.

    Raises:
        click.UsageError: these two versions are not compared.
    """
    if old == contract.version and new in contract.other_versions:
        return contract.difference(new)
    if new == contract.version and old in contract.other_versions:
        return _turned(contract, contract.difference(old))
    others = ", ".join(contract.other_versions) or "none"
    raise click.UsageError(f"of {contract.name}, version {contract.version} is compared with these: {others}; not {old} with {new}")


def _turned(contract: Contract, difference: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same difference, seen from the other side."""
    parts = {part: _parts_turned(difference[part]) for part in ("operations", "schemas", "requirements", "features")}
    again = [_told(contract, i) for i in [*parts["requirements"]["added"], *parts["requirements"]["changed"]]]
    return {**difference, "from": difference["to"], "to": difference["from"], "additions": [], "demands": again, **parts}


def _parts_turned(part: Mapping[str, Any]) -> dict[str, Any]:
    changed = {name: {place: CONTRARY[what] for place, what in places.items()} for name, places in part["changed"].items()}
    return {"added": part["removed"], "removed": part["added"], "changed": changed}


def _told(contract: Contract, identifier: str) -> dict[str, Any]:
    """A requirement as the difference of versions tells it."""
    requirement = contract.requirements[identifier]
    members = ("id", "level", "sentence", "clause", "basis", "area", "operations", "features", "side", "difference")
    return {member: getattr(requirement, member) for member in members}


def described(difference: Mapping[str, Any]) -> Iterator[str]:
    """A difference of versions, in words."""
    yield f"{difference['contract']} {difference['from']} -> {difference['to']}"
    if difference["additions"]:
        yield from ("", "What its authors added", *(f"  {said}" for said in difference["additions"]))
    for part in ("operations", "schemas", "features"):
        lines = list(_lines(difference[part]))
        if lines:
            yield from ("", part.capitalize(), *lines)
    for side, whose in (("server", "Demanded of servers now"), ("client", "Demanded of clients now")):
        demands = [demand for demand in difference["demands"] if demand["side"] == side]
        if demands:
            yield from ("", f"{whose} ({len(demands)})", *map(_demand, demands))
    if difference["requirements"]["removed"]:
        yield from ("", "No longer demanded", *(f"  {identifier}" for identifier in difference["requirements"]["removed"]))


def _lines(part: Mapping[str, Any]) -> Iterator[str]:
    for what in ("added", "removed"):
        yield from (f"  {MARKS[what]} {name}" for name in part[what])
    for name, places in part["changed"].items():
        told = "; ".join(f"{place.lstrip('/')} {what}" for place, what in places.items())
        yield f"  {MARKS['changed']} {name}: {told}"


def _demand(demand: Mapping[str, Any]) -> str:
    only = f" (only with {', '.join(demand['features'])})" if demand["features"] else ""
    return f"  {demand['id']:<18} {demand['level']:<6} {demand['sentence']}{only}"
