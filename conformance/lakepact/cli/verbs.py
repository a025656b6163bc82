"""The verbs of the `lakepact` command. Each is imported when it is called, so that it needs only its own extra."""

# ruff: noqa: PLC0415 - see above

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import click


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb: its command, the extra that it needs, and its line in the list of verbs."""

    load: Callable[[], click.Command]
    extra: str
    says: str


def _campaign() -> click.Command:
    from lakepact.conformance.campaign.cli import campaign

    return campaign


def _cat() -> click.Command:
    from lakepact.client.command.cat import cat

    return cat


def _check() -> click.Command:
    from lakepact.conformance.commands.check import check

    return check


def _check_client() -> click.Command:
    from lakepact.conformance.clients.command import check_client

    return check_client


def _contracts() -> click.Command:
    from lakepact.conformance.commands.contracts import contracts

    return contracts


def _data() -> click.Command:
    from lakepact.conformance.data.cli import data

    return data


def _diff() -> click.Command:
    from lakepact.conformance.campaign.diff import diff

    return diff


def _explain() -> click.Command:
    from lakepact.conformance.commands.requirements import explain

    return explain


def _fixtures() -> click.Command:
    from lakepact.conformance.fixtures.cli import fixtures

    return fixtures


def _list() -> click.Command:
    from lakepact.conformance.commands.requirements import list_requirements

    return list_requirements


def _ls() -> click.Command:
    from lakepact.client.command.ls import ls

    return ls


def _matrix() -> click.Command:
    from lakepact.conformance.commands.matrix import matrix

    return matrix


def _probe() -> click.Command:
    from lakepact.conformance.commands.probe import probe

    return probe


def _reports() -> click.Command:
    from lakepact.conformance.commands.metrics import reports

    return reports


def _serve() -> click.Command:
    from lakepact.reference_server.cli import serve

    return serve


def _show() -> click.Command:
    from lakepact.client.command.show import show

    return show


def _store() -> click.Command:
    from lakepact.reference_server.store_cli import store

    return store


VERBS = {
    "campaign": Verb(_campaign, "conformance", "Send many cases to several servers, and compare them."),
    "cat": Verb(_cat, "conformance", "Show the rows of a table."),
    "check": Verb(_check, "conformance", "Judge a server, clause by clause."),
    "check-client": Verb(_check_client, "conformance", "Judge a client, by what it does with scripted answers."),
    "contracts": Verb(_contracts, "conformance", "Contracts and versions, and how they differ."),
    "data": Verb(_data, "data", "Write tables of known rows, and read them back."),
    "diff": Verb(_diff, "conformance", "Send the same requests to two servers, and say where they differ."),
    "explain": Verb(_explain, "conformance", "Explain a requirement, and what judges it."),
    "fixtures": Verb(_fixtures, "conformance", "Write tables for a server to share and be judged by."),
    "list": Verb(_list, "conformance", "List requirements, checks or parameters."),
    "ls": Verb(_ls, "conformance", "List what a catalog holds, or a server shares."),
    "matrix": Verb(_matrix, "conformance", "Put reports of several servers side by side."),
    "probe": Verb(_probe, "conformance", "Find out what a server declares and serves."),
    "reports": Verb(_reports, "conformance", "Show the metrics that a reference server was sent."),
    "serve": Verb(_serve, "server", "Start the reference server."),
    "show": Verb(_show, "conformance", "Show what a table or view is."),
    "store": Verb(_store, "server", "Look after files that keep a catalog."),
}
