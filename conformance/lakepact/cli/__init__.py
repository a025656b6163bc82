"""The `lakepact` command: loads verbs on demand and maps errors to exit codes."""

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
from typing import TYPE_CHECKING, NoReturn

from lakepact.extras import install

from .verbs import VERBS

try:
    import click
    from click.shell_completion import CompletionItem
except ModuleNotFoundError:
    extra = next((VERBS[verb].extra for verb in sys.argv[1:2] if verb in VERBS), "conformance")
    sys.stderr.write(
        f"the command lakepact needs click, which is not installed: {install(extra)}\n"
    )
    sys.exit(2)

if TYPE_CHECKING:
    from collections.abc import Generator


#: Exit code after Ctrl-C, a closed output pipe, or an internal error; click's own is 1, which means
#: that a server does not conform.
INCOMPLETE = 3


@contextlib.contextmanager
def _sigterm_like_ctrl_c() -> Generator[None]:
    """Handle SIGTERM like Ctrl-C: stop child processes and clean up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _name_the_extra(verb: str, missing: ModuleNotFoundError) -> NoReturn:
    """Say which extra installs a missing library, and exit like wrong usage; exit as incomplete
    where a module of ours is missing.
    """
    library = (missing.name or "").partition(".")[0]
    if verb not in VERBS or library in {"", "lakepact"}:
        traceback.print_exception(missing)
        sys.exit(INCOMPLETE)
    extra = VERBS[verb].extra_of(library)
    click.echo(
        f"lakepact {verb} needs {library}, which is not installed: {install(extra)}",
        err=True,
    )
    sys.exit(2)


class Verbs(click.Group):
    """A group that imports a verb's module when the verb is called."""

    def invoke(self, ctx: click.Context) -> None:
        """Run a verb; an interruption is handled even while its module is imported."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(
                    errors="backslashreplace"
                )  # a terminal without a character must not lose the verdict
        try:
            with _sigterm_like_ctrl_c():
                super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("lakepact: interrupted", err=True)
            ctx.exit(INCOMPLETE)
        except (click.Abort, click.exceptions.Exit, click.exceptions.NoArgsIsHelpError):
            raise
        except click.ClickException as wrong:  # its message may repeat what a file holds
            wrong.message = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in wrong.message)  # type: ignore[misc]  # it is set once more
            raise
        except ModuleNotFoundError as missing:
            _name_the_extra(ctx.invoked_subcommand or "", missing)
        except (
            BrokenPipeError
        ):  # the reader has closed the pipe; the rest of the output is dropped silently
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(INCOMPLETE)
        except Exception as broken:  # noqa: BLE001 - no error may look like a verdict
            if isinstance(broken, OSError) and broken.errno == errno.ENOSPC:
                click.echo(f"lakepact: {broken.strerror}", err=True)
            else:
                traceback.print_exc()
            ctx.exit(INCOMPLETE)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the verbs."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Return the command of a verb."""
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        try:
            return verb.load()
        except ModuleNotFoundError as missing:
            _name_the_extra(cmd_name, missing)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the verbs and options that begin with `incomplete`, without importing a verb."""
        verbs = [
            CompletionItem(name, help=VERBS[name].sentence)
            for name in sorted(VERBS)
            if name.startswith(incomplete)
        ]
        return [*verbs, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that `args` start with; suggest the nearest verbs for an unknown
        one.
        """
        near = (
            difflib.get_close_matches(args[0], VERBS, n=2) if args and args[0] not in VERBS else ()
        )
        if near:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {' or '.join(near)}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """List all verbs, also those whose extra is not installed."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, VERBS[name].sentence) for name in sorted(VERBS)])


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="lakepact", prog_name="lakepact")
def main() -> None:
    """Check lakehouse catalogs and their clients against Iceberg REST, Delta Sharing and
    watsonx.data, or serve a catalog.
    """
