"""The verb `lakepact diff`: the same cases to two targets, and where their answers differ; a campaign in one step."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lakepact.conformance.campaign import plans, run_verdicts, runs
from lakepact.conformance.campaign.engines.local import LocalEngine
from lakepact.conformance.campaign.errors import Refused
from lakepact.conformance.campaign.progress import Ticker, with_errors_in_one_line
from lakepact.conformance.campaign.reporting import facts, html, markdown
from lakepact.conformance.campaign.targets import parse_targets
from lakepact.conformance.running import runner
from lakepact.generated.contract import contracts

if TYPE_CHECKING:
    from collections.abc import Generator

MODES = ("example", "near", "reading", "sequence")  #: no checks: they go by what they are answered, and judge one target
SEEDS = 4


@click.command()
@click.argument("left")
@click.argument("right")
@click.option("--contract", type=click.Choice(contracts()), default=contracts()[0], show_default=True, help="Contract of the cases.")
@click.option("--only", multiple=True, metavar="GLOB", help="Only these operations.")
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=SEEDS,
    show_default=True,
    help="How many times cases of each operation are drawn; always the same ones.",
)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Keep plan, run and reports in this new folder.")
def diff(*, left: str, right: str, contract: str, only: tuple[str, ...], seeds: int, out: Path | None) -> None:
    """Send the same requests to LEFT and RIGHT, two addresses or profiles (FILE.toml), and say where their answers differ.

    Exit code: 0 no difference, 1 some, 2 wrong usage, 3 the cases have not all been answered.

    Example: lakepact diff http://127.0.0.1:8181 theirs.toml --only '*Table*'
    """

    def compare() -> None:
        targets = parse_targets((f"left={left}", f"right={right}"), (contract,))
        with _folder(out) as folder, LocalEngine(None) as engine:
            for target in targets:
                runs.discovered(target)  # before the cases are drawn, which takes longer
            plan, run = folder / "plan", folder / "run"
            plans.plan((contract,), plan, seeds=range(seeds), modes=MODES, per_seed=1, only=only or ("*",), draw=engine.draw)
            runs.prepare(plan, run, targets)
            landed = None
            with Ticker("cases") as ticker:
                for landed in runs.carried_on(run, engine, every=ticker.every):
                    ticker.tell(landed.landed, landed.planned)
            run_verdicts.judge(run, engine)
            found = facts.facts(run, run_verdicts.analyse(run, engine), compared=False)
            if out is not None:
                (out / "report.md").write_text(markdown.markdown(found), encoding="utf-8")
                (out / "report.html").write_text(html.html(found), encoding="utf-8")
            click.echo("\n".join(markdown.compared(found)))
            if landed is None or landed.missing or landed.landed < landed.planned:
                raise Refused("one of the targets stopped answering: not all cases have been sent to both")
            sys.exit(runner.NOT_CONFORMANT if found.divergences else runner.CONFORMANT)

    with_errors_in_one_line("diff", compare, command="lakepact diff")


@contextlib.contextmanager
def _folder(out: Path | None) -> Generator[Path]:
    """Yield the folder of a new campaign.

    Raises:
        ValueError: the folder is not empty.
    """
    if out is None:
        with tempfile.TemporaryDirectory(prefix="lakepact-diff-", ignore_cleanup_errors=True) as folder:
            yield Path(folder)
        return
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"--out {out}: there is something in it; name a new folder")
    out.mkdir(parents=True, exist_ok=True)
    yield out
