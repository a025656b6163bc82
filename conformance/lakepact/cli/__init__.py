"""The `lakepact` command: finds verbs, and ends them with the right exit code."""

from __future__ import annotations

import contextlib
import difflib
import errno
import io
import os
import signal
import sys
import threading
import traceback
from typing import TYPE_CHECKING

try:
    import click
except ModuleNotFoundError:
    sys.stderr.write("the command lakepact needs click, which is not installed: pip install 'lakepact[server]'\n")
    sys.exit(2)

from .verbs import VERBS

if TYPE_CHECKING:
    from collections.abc import Generator


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
            return verb.load()
        except ModuleNotFoundError as missing:
            click.echo(f"lakepact {cmd_name} needs {missing.name}, which is not installed: pip install 'lakepact[{verb.extra}]'", err=True)
            sys.exit(2)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that `args` start with; suggest the nearest verbs for an unknown one."""
        near = difflib.get_close_matches(args[0], VERBS, n=2) if args and args[0] not in VERBS else ()
        if near:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {' or '.join(near)}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """All verbs, whatever of them can be called with what is installed."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, VERBS[name].sentence) for name in sorted(VERBS)])


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="lakepact")
def main() -> None:
    """Check lakehouse catalogs and their clients against Iceberg REST, Delta Sharing and watsonx.data, or serve a catalog."""
