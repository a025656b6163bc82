"""The verbs of the `lakepact` command. Each is imported when it is called, so that it requires only its own extra."""

# ruff: noqa: PLC0415 - see above

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.extras import OF_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import click


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb: its command, the extra that it needs, and its line in the list of verbs."""

    load: Callable[[], click.Command]
    extra: str
    sentence: str
    optional: Mapping[str, str] = field(default_factory=dict[str, str])  #: the extras of libraries that only some calls need

    def extra_of(self, library: str) -> str:
        """Return the extra that installs a library for this verb."""
        return self.optional.get(library, self.extra)


def _baseline() -> click.Command:
    from lakepact.conformance.commands.baseline import baseline

    return baseline


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


def _completion() -> click.Command:
    from .completion import completion

    return completion


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


def _generate() -> click.Command:
    from lakepact.codegen.openapi.command import generate

    return generate


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


def _metrics() -> click.Command:
    from lakepact.conformance.commands.metrics import metrics

    return metrics


def _report() -> click.Command:
    from lakepact.conformance.commands.report import report

    return report


def _reproduce() -> click.Command:
    from lakepact.conformance.commands.reproduce import reproduce

    return reproduce


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
    "baseline": Verb(_baseline, "conformance", "Write a file of known failures from a report."),
    "campaign": Verb(_campaign, "campaign", "Send many test cases to several servers and compare the answers."),
    "cat": Verb(_cat, "server", "Show the rows of a table."),
    "check": Verb(_check, "conformance", "Check a server against its contract.", OF_CHECKS),
    "check-client": Verb(_check_client, "conformance", "Check a client against scripted answers.", OF_CHECKS),
    "completion": Verb(_completion, "server", "Print the script for completion in a shell."),
    "contracts": Verb(_contracts, "conformance", "List contracts and versions, and compare versions."),
    "data": Verb(_data, "data", "Write tables with known rows and verify them."),
    "diff": Verb(_diff, "campaign", "Send the same requests to two servers and show the differences."),
    "explain": Verb(_explain, "conformance", "Explain a requirement and its checks.", OF_CHECKS),
    "fixtures": Verb(_fixtures, "delta", "Write the fixture tables of Delta Sharing checks."),
    "generate": Verb(_generate, "generate", "Generate a typed client and server of an OpenAPI document."),
    "list": Verb(_list, "conformance", "List requirements, checks or parameters.", OF_CHECKS),
    "ls": Verb(_ls, "server", "List the contents of a catalog or of a sharing server."),
    "matrix": Verb(_matrix, "conformance", "Compare the reports of several servers."),
    "metrics": Verb(_metrics, "conformance", "Show the metrics reports that a reference server received."),
    "probe": Verb(_probe, "conformance", "Detect what a server declares and implements.", OF_CHECKS),
    "report": Verb(_report, "conformance", "Show a report, or convert it to another format."),
    "reproduce": Verb(_reproduce, "conformance", "Write a script that repeats one finding of a report.", OF_CHECKS),
    "serve": Verb(_serve, "server", "Start the reference server.", {"connexion": "connexion"}),
    "show": Verb(_show, "server", "Show the metadata of a table or view."),
    "store": Verb(_store, "server", "Check and repair the store file of a catalog."),
}
