"""The verbs of the `lakepact` command. Each is imported when it is called, so that it requires only
its own extra.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.extras import OF_CHECKS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import click


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb: its command, the extra that it needs, and its line in the list of verbs."""

    command: str  #: MODULE:NAME
    extra: str
    sentence: str
    optional: Mapping[str, str] = field(
        default_factory=dict[str, str]
    )  #: the extras of libraries that only some calls need

    def load(self) -> click.Command:
        """Return the command.

        Raises:
            ModuleNotFoundError: a library that it needs is not installed.
        """
        module, _, name = self.command.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def extra_of(self, library: str) -> str:
        """Return the extra that installs a library for this verb."""
        return self.optional.get(library, self.extra)


SUITE = "lakepact.conformance"
VERBS = {
    "baseline": Verb(
        f"{SUITE}.commands.baseline:baseline",
        "conformance",
        "Write a file of known failures from a report.",
    ),
    "campaign": Verb(
        "lakepact.data.campaigns.cli:campaign",
        "campaign",
        "Send many test cases to several servers and compare the answers.",
    ),
    "cat": Verb("lakepact.client.command.cat:cat", "server", "Show the rows of a table."),
    "check": Verb(
        f"{SUITE}.commands.check:check",
        "conformance",
        "Check a server against its contract.",
        OF_CHECKS,
    ),
    "check-client": Verb(
        f"{SUITE}.clients.command:check_client",
        "conformance",
        "Check a client against scripted answers.",
        OF_CHECKS,
    ),
    "clean": Verb(
        f"{SUITE}.commands.clean:clean",
        "conformance",
        "Remove what checks left on a server.",
    ),
    "completion": Verb(
        "lakepact.cli.completion:completion",
        "server",
        "Print the script for completion in a shell.",
    ),
    "contracts": Verb(
        "lakepact.cli.contracts:contracts",
        "conformance",
        "List contracts and versions, and compare versions.",
    ),
    "data": Verb("lakepact.data.cli:data", "data", "Write tables with known rows and verify them."),
    "diff": Verb(
        f"{SUITE}.campaign.diff:diff",
        "campaign",
        "Send the same requests to two servers and show the differences.",
    ),
    "explain": Verb(
        f"{SUITE}.commands.requirements:explain",
        "conformance",
        "Explain a requirement and its checks.",
        OF_CHECKS,
    ),
    "fixtures": Verb(
        f"{SUITE}.fixtures.cli:fixtures",
        "delta",
        "Write the fixture tables of Delta Sharing checks.",
    ),
    "generate": Verb(
        "lakepact.codegen.openapi.command:generate",
        "generate",
        "Generate a typed client and server of an OpenAPI document.",
    ),
    "issue": Verb(
        f"{SUITE}.commands.issue:issue",
        "conformance",
        "Print an issue about a cause, for a server's maintainers.",
    ),
    "list": Verb(
        f"{SUITE}.commands.requirements:list_requirements",
        "conformance",
        "List requirements, checks or parameters.",
        OF_CHECKS,
    ),
    "ls": Verb(
        "lakepact.client.command.ls:ls",
        "server",
        "List the contents of a catalog or of a sharing server.",
    ),
    "matrix": Verb(
        f"{SUITE}.commands.matrix:matrix", "conformance", "Compare the reports of several servers."
    ),
    "probe": Verb(
        f"{SUITE}.commands.probe:probe",
        "conformance",
        "Detect what a server declares and implements.",
        OF_CHECKS,
    ),
    "report": Verb(
        f"{SUITE}.commands.report:report",
        "conformance",
        "Show a report, or convert it to another format.",
    ),
    "reproduce": Verb(
        f"{SUITE}.commands.reproduce:reproduce",
        "conformance",
        "Write a script that repeats one finding of a report.",
        OF_CHECKS,
    ),
    "serve": Verb(
        "lakepact.reference_server.cli:serve",
        "server",
        "Start the reference server.",
        {"connexion": "connexion"},
    ),
    "show": Verb(
        "lakepact.client.command.show:show", "server", "Show the metadata of a table or view."
    ),
    "store": Verb(
        "lakepact.reference_server.store_cli:store",
        "server",
        "Check and repair the store file of a catalog.",
    ),
}
