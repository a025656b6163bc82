"""The `lakepact` command: parsing only; what the verbs do stands in modules of their own."""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import signal
import sys
import threading
import traceback
from typing import TYPE_CHECKING, NamedTuple

try:
    import click
except ModuleNotFoundError:
    sys.stderr.write("the command lakepact needs click, which is not installed: pip install 'lakepact[server]'\n")
    sys.exit(2)

if TYPE_CHECKING:
    from collections.abc import Generator


class Verb(NamedTuple):
    """Where a verb stands, which is imported when it is called, so that each needs only its own extra."""

    module: str
    command: str
    says: str  #: in the list of all verbs, which imports none of them


VERBS = {
    "campaign": Verb("lakepact.conformance.campaign.cli", "campaign", "Send many cases to several servers, and compare them."),
    "cat": Verb("lakepact.client.command.cat", "cat", "Show the rows of a table."),
    "check": Verb("lakepact.conformance.check", "check", "Judge a server, clause by clause."),
    "check-client": Verb("lakepact.conformance.clients.command", "check_client", "Judge a client, by what it does with scripted answers."),
    "contracts": Verb("lakepact.conformance.contracts", "contracts", "Contracts and versions, and how they differ."),
    "data": Verb("lakepact.conformance.data.cli", "data", "Write tables of known rows, and read them back."),
    "diff": Verb("lakepact.conformance.campaign.diff", "diff", "Send the same requests to two servers, and say where they differ."),
    "explain": Verb("lakepact.conformance.catalogue", "explain", "Explain a requirement, and what judges it."),
    "fixtures": Verb("lakepact.conformance.fixtures.cli", "fixtures", "Write tables for a server to share and be judged by."),
    "list": Verb("lakepact.conformance.catalogue", "list_requirements", "List requirements, checks or parameters."),
    "ls": Verb("lakepact.client.command.ls", "ls", "List what a catalog holds, or a server shares."),
    "matrix": Verb("lakepact.conformance.matrix", "matrix", "Put reports of several servers side by side."),
    "probe": Verb("lakepact.conformance.probe", "probe", "Find out what a server declares and serves."),
    "reports": Verb("lakepact.conformance.metrics_reports", "reports", "Show the metrics that a reference server was sent."),
    "serve": Verb("lakepact.reference_server.cli", "serve", "Start the reference server."),
    "show": Verb("lakepact.client.command.show", "show", "Show what a table or view is."),
    "store": Verb("lakepact.reference_server.store_cli", "store", "Look after files that keep a catalog."),
}


#: Exit code of what Ctrl-C ends, what nobody reads to its end, and what breaks; click's and Python's own is 1, which says of a server
#: that it does not conform.
INCOMPLETE = 3


@contextlib.contextmanager
def _terminated_like_interrupted() -> Generator[None]:
    """Let SIGTERM do what Ctrl-C does: what was started is ended, and what was made is removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Verbs(click.Group):
    """Finds a verb's module when the verb is called."""

    def invoke(self, ctx: click.Context) -> None:
        """Run a verb, which may be interrupted while its module is still being imported."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # where a terminal lacks a letter, a verdict is not lost for it
        try:
            with _terminated_like_interrupted():
                super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("lakepact: interrupted", err=True)
            ctx.exit(INCOMPLETE)
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except BrokenPipeError:  # who reads has read enough; what is still held back for them is not worth a word either
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(INCOMPLETE)
        except Exception as broken:  # noqa: BLE001 - whatever it is, it is no verdict
            if isinstance(broken, OSError) and broken.errno == errno.ENOSPC:
                click.echo(f"lakepact: {broken.strerror}", err=True)
            else:
                traceback.print_exc()
            ctx.exit(INCOMPLETE)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names of the verbs."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of a verb."""
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        try:
            command: click.Command = getattr(importlib.import_module(verb.module), verb.command)
        except ModuleNotFoundError as missing:
            extra = "server" if "reference_server" in verb.module else "data" if cmd_name == "data" else "conformance"
            click.echo(f"lakepact {cmd_name} needs {missing.name}, which is not installed: pip install 'lakepact[{extra}]'", err=True)
            sys.exit(2)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """All verbs, whatever of them can be called with what is installed."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, VERBS[name].says) for name in sorted(VERBS)])


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="lakepact")
def main() -> None:
    """The contract kit for lakehouse catalogs: serve a contract, judge a server, look a clause up."""
