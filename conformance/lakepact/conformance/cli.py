"""The `lakepact` command: parsing only; what the verbs do stands in modules of their own."""

from __future__ import annotations

import importlib
import sys

try:
    import click
except ModuleNotFoundError:
    sys.stderr.write("the command lakepact needs click, which is not installed: pip install 'lakepact[server]'\n")
    sys.exit(2)

#: Verb → module and command. A verb is imported when it is called, so that each needs only its own extra.
VERBS = {
    "campaign": ("lakepact.conformance.campaign.cli", "campaign"),
    "cat": ("lakepact.client.command.cat", "cat"),
    "check": ("lakepact.conformance.check", "check"),
    "contracts": ("lakepact.conformance.contracts", "contracts"),
    "data": ("lakepact.conformance.data.cli", "data"),
    "explain": ("lakepact.conformance.catalogue", "explain"),
    "fixtures": ("lakepact.conformance.fixtures.cli", "fixtures"),
    "list": ("lakepact.conformance.catalogue", "list_requirements"),
    "ls": ("lakepact.client.command.ls", "ls"),
    "matrix": ("lakepact.conformance.matrix", "matrix"),
    "probe": ("lakepact.conformance.probe", "probe"),
    "reports": ("lakepact.conformance.metrics_reports", "reports"),
    "serve": ("lakepact.reference_server.cli", "serve"),
    "show": ("lakepact.client.command.show", "show"),
    "store": ("lakepact.reference_server.store_cli", "store"),
}


class Verbs(click.Group):
    """Finds a verb's module when the verb is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names of the verbs."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of a verb."""
        if cmd_name not in VERBS:
            return None
        module, name = VERBS[cmd_name]
        try:
            command: click.Command = getattr(importlib.import_module(module), name)
        except ModuleNotFoundError as missing:
            extra = "server" if "reference_server" in module else "data" if cmd_name == "data" else "conformance"
            click.echo(f"lakepact {cmd_name} needs {missing.name}, which is not installed: pip install 'lakepact[{extra}]'", err=True)
            sys.exit(2)
        return command


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="lakepact")
def main() -> None:
    """The contract kit for lakehouse catalogs: serve a contract, judge a server, look a clause up."""
