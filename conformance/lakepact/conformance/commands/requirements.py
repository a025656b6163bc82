"""`lakepact list` and `lakepact explain`: requirements, their clauses and checks."""

from __future__ import annotations

import fnmatch
import sys
from collections.abc import Iterator
from typing import Any

import click
import orjson

from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.plan import alike
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract, Requirement, contracts


def _suites(contract: str | None, version: str | None) -> Iterator[Suite[Any]]:
    for name in [contract] if contract else contracts():
        if version is None or version in Contract(name).versions:
            yield suites.load(name, version)


CONTRACT = click.option("--contract", type=click.Choice(contracts()), help="Only this contract.")
VERSION = click.option(
    "--contract-version",
    "version",
    type=click.Choice([version for name in contracts() for version in Contract(name).versions]),
    help="Only contracts of this version.",
)


@click.command("list")
@click.argument("patterns", nargs=-1)
@CONTRACT
@VERSION
@click.option("--checks", is_flag=True, help="List checks and invariants instead of requirements.")
@click.option(
    "--uncovered",
    "without_checks",
    is_flag=True,
    help="Only requirements that no check judges, with the reason.",
)
@click.option(
    "--parameters", is_flag=True, help="List the settings of `lakepact check --parameter`."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def list_requirements(
    patterns: tuple[str, ...],
    *,
    contract: str | None,
    version: str | None,
    checks: bool,
    without_checks: bool,
    parameters: bool,
    as_json: bool,
) -> None:
    """List requirements whose id, area or operation matches one of PATTERNS (default: all).

    Example: lakepact list 'IRC-NS-*'
    """
    count = 0
    for suite in _suites(contract, version):
        requirements = (
            _checks(suite)
            if checks
            else _requirements(suite, _judges_of(suite), without_checks=without_checks)
        )
        for row in _parameters(suite) if parameters else requirements:
            if patterns and not any(
                fnmatch.fnmatchcase(text, p) for p in patterns for text in row["names"]
            ):
                continue
            count += 1
            if as_json:
                click.echo(orjson.dumps({k: v for k, v in row.items() if k != "names"}).decode())
            elif parameters:
                click.echo(f"{row['contract']:<14} {row['id']:<26} {row['sentence']}")
            else:
                click.echo(
                    f"{row['id']:<28} {row['level']:<6} {row['sentence']}"
                    + (f"\n{'':<36}not judged: {row['why']}" if row["why"] else "")
                )
    if not count and not without_checks and (patterns or (contract and version)):
        filters = " ".join(word for word in (contract, version, *patterns) if word)
        click.echo(
            f"lakepact list: nothing matches {filters}; `lakepact list` shows all, `lakepact"
            " contracts list` the versions",
            err=True,
        )
        sys.exit(2)


def _requirements(
    suite: Suite[Any], judges: dict[str, tuple[str, ...]], *, without_checks: bool
) -> Iterator[dict[str, Any]]:
    for r in suite.contract.requirements.values():
        by = judges.get(r.id, ())
        if without_checks and by:
            continue
        yield {
            "id": r.id,
            "level": r.level,
            "sentence": r.sentence,
            "area": r.area,
            "checks": by,
            "why": "" if by else r.uncovered or "no check yet",
            "names": (r.id, r.area, *r.operations),
        }


def _judges_of(suite: Suite[Any]) -> dict[str, tuple[str, ...]]:
    """Return the checks and invariants that judge each requirement, including client checks."""
    of_clients = _of_clients(suite)
    return {**(of_clients.judges() if of_clients else {}), **suite.judges()}


def _of_clients(suite: Suite[Any]) -> Suite[Any] | None:
    """Return the suite for clients of the same contract, if there is one."""
    name = suite.contract.name
    return (
        suites.of_clients(name, suite.contract.version) if name in suites.with_clients() else None
    )


def _checks(suite: Suite[Any]) -> Iterator[dict[str, Any]]:
    of_clients = _of_clients(suite)
    beside = (
        (("check", of_clients.checks), ("invariant", of_clients.invariants)) if of_clients else ()
    )
    for kind, items in (("check", suite.checks), ("invariant", suite.invariants), *beside):
        for item in items.values():
            yield {
                "id": item.name,
                "level": kind,
                "sentence": item.sentence,
                "requirements": item.requirements,
                "why": "",
                "names": (item.name, *item.requirements),
            }


def _parameters(suite: Suite[Any]) -> Iterator[dict[str, Any]]:
    for name, sentence in suite.parameters.items():
        yield {
            "id": name,
            "contract": suite.contract.name,
            "sentence": sentence,
            "names": (name, suite.contract.name),
        }


@click.command()
@click.argument("identifier")
@CONTRACT
@VERSION
def explain(identifier: str, *, contract: str | None, version: str | None) -> None:
    """Explain a requirement, in any case: its sentence, its clause in the contract, and the checks
    that judge it.

    Example: lakepact explain IRC-NS-GET-005
    """
    text, identifier = identifier, identifier.upper()
    ids: list[str] = []
    for suite in _of_all_versions(contract, version):
        ids += suite.contract.requirements
        if identifier in suite.contract.requirements:
            click.echo("\n".join(_explanation(suite, suite.requirement(identifier))))
            return
    reasons = [
        line
        for suite in _suites(contract, version)
        for line in _reasons_of_absence(suite.contract, identifier)
    ]
    if reasons:
        click.echo("\n".join(reasons), err=True)
        sys.exit(2)
    near = alike(identifier, set(ids)) or "see `lakepact list`"
    click.echo(f"there is no requirement {text}; {near}", err=True)
    sys.exit(2)


def _of_all_versions(contract: str | None, version: str | None) -> Iterator[Suite[Any]]:
    """Yield the suites to search for an identifier: of the named version, or of all, the one with
    models first.
    """
    yield from _suites(contract, version)
    if version is None:
        for name in [contract] if contract else contracts():
            for later in Contract(name).versions[1:]:
                if suites.has_checks(Contract(name, later)):
                    yield suites.load(name, later)


def _reasons_of_absence(contract: Contract, identifier: str) -> Iterator[str]:
    """Yield why a profile lacks a requirement of its base contract."""
    for difference in contract.differences.values():
        if identifier in difference.without:
            yield (
                f"{contract.name} does not have {identifier} (difference {difference.id}):"
                f" {difference.sentence}"
            )


def _explanation(suite: Suite[Any], r: Requirement) -> Iterator[str]:
    contract = suite.contract
    yield f"{r.id}  {r.level}  {r.area}"
    yield f"  {r.sentence}"
    yield f"  contract    {contract.title} {contract.version}"
    yield f"  clause      {contract.place(r.clause)}"
    text = _clause_text(contract, r.clause)
    if text:
        yield f"              {text}"
    yield f"  basis       {r.basis}"
    if r.operations:
        yield f"  operations  {', '.join(r.operations)}"
    if r.features:
        yield (
            "  only with  "
            f" {', '.join(f'{f} ({contract.features[f].sentence})' for f in r.features)}"
        )
    if r.interpretation:
        yield f"  interpretation     {r.interpretation}"
    if r.difference:
        difference = contract.differences[r.difference]
        yield f"  difference  {difference.id}: {difference.sentence}; {difference.taken}"
    for correction in r.corrections:
        yield (
            f"  correction        {correction} ({contract.corrections[correction].effect}):"
            f" {contract.corrections[correction].sentence}"
        )
    of_clients = _of_clients(suite)
    judges = of_clients if r.side == "client" and of_clients else suite
    checks = judges.judges().get(r.id, ())
    for name in checks:
        item = judges.checks.get(name) or judges.invariants[name]
        yield f"  judged by   {name}: {item.sentence}"
    if not checks:
        yield f"  not judged  {r.uncovered or 'no check yet'}"


def _clause_text(contract: Contract, clause: str) -> str:
    """Return the contract's text at a clause, or for prose the place where it can be read."""
    if contract.prose is not None and clause.startswith("#"):
        return contract.prose.address + clause
    node: Any = contract.bundle
    for part in clause.strip("/").split("/"):
        step = part.replace("~1", "/").replace("~0", "~")
        try:
            node = node[int(step)] if isinstance(node, list) else node[step]
        except (KeyError, IndexError, ValueError, TypeError):
            return ""
    text = node.get("description", "") if isinstance(node, dict) else node
    return " ".join(text.split()) if isinstance(text, str) else ""
