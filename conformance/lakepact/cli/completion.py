"""`lakepact completion`: the script that makes a shell complete the command."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "fish", "zsh")
VARIABLE = "_LAKEPACT_COMPLETE"  #: as click derives it from the name of the command


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes verbs, options and their values in SHELL.

    \b
    bash: lakepact completion bash > ~/.local/share/bash-completion/completions/lakepact
    zsh:  lakepact completion zsh > a file `_lakepact` in a folder of $fpath
    fish: lakepact completion fish > ~/.config/fish/completions/lakepact.fish

    Example: eval "$(lakepact completion bash)"
    """  # noqa: D301 - click keeps the lines after its mark, a single character, as they are
    completer = get_completion_class(shell)
    if completer is None:
        raise click.ClickException(f"click {click.__version__} cannot complete in {shell}")
    click.echo(completer(ctx.find_root().command, {}, "lakepact", VARIABLE).source())
