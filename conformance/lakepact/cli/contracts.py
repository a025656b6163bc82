"""`lakepact contracts`: known contracts, what each lacks, and changes between two versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import orjson

from lakepact.conformance.commands.contracts import AS_JSON, diff
from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import Contract
from lakepact.generated.contract import contracts as known
from lakepact.reference_server.app import missing_operations

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.group()
def contracts() -> None:
    """Show contracts and versions."""


contracts.add_command(diff)


@contracts.command("list")
@AS_JSON
def list_contracts(*, as_json: bool) -> None:
    """List contracts and versions, and which parts of lakepact support them.

    Example: lakepact contracts list
    """
    rows = [row for name in known() for row in _versions(Contract(name))]
    if as_json:
        click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
        return
    widths = {
        column: max(len(row[column]) for row in rows) for column in ("contract", "version", "is")
    }
    for row in rows:
        click.echo(
            "  ".join(
                [*(row[column].ljust(width) for column, width in widths.items()), row["title"]]
            )
        )


def _versions(contract: Contract) -> Iterator[dict[str, str]]:
    of = f"a profile of {contract.profile_of}: " if contract.profile_of else ""
    for version in (contract.version, *contract.other_versions):
        yield {
            "contract": contract.name,
            "version": version,
            "is": of + _support(Contract(contract.name, version))
            if version in contract.versions
            else "compared only",
            "title": contract.title,
        }


def _support(contract: Contract) -> str:
    missing = ", ".join(_missing(contract))
    return f"incomplete: {missing}" if missing else "client, server and suite"


def _missing(contract: Contract) -> Iterator[str]:
    """Yield what a version lacks that is to be served and checked."""
    if contract.versions.index(contract.version) > contract.versions.index(contract.client_version):
        yield f"the client is of {contract.client_version}"
    operations = ", ".join(missing_operations(contract))
    if operations:
        yield f"the server has no handler for {operations}"
    if not suites.has_checks(contract):
        yield "the suite has no checks"
