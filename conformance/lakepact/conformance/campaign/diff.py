"""The verb `lakepact diff`: the same cases to two targets, with the differences of their answers."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from lakepact.conformance.campaign import plans, replay, run_verdicts, runs
from lakepact.conformance.campaign.engines import Engine
from lakepact.conformance.campaign.engines.local import LocalEngine
from lakepact.conformance.campaign.errors import Refused
from lakepact.conformance.campaign.planning.generation import EFFECT
from lakepact.conformance.campaign.progress import Ticker, with_errors_in_one_line
from lakepact.conformance.campaign.reporting import facts, html, markdown, text
from lakepact.conformance.campaign.targets import TargetSettings, parse_targets
from lakepact.conformance.report.screen import Screen
from lakepact.conformance.running import runner
from lakepact.generated.contract import contracts
from lakepact.reach.options import FOLDER, argument, option, several, with_options

SEEDS = 4


@dataclass(frozen=True, kw_only=True)
class DiffOptions:
    """The options of `lakepact diff`."""

    left: str = argument()
    right: str = argument()
    contract: str = option(
        "Contract of the cases.",
        default=contracts()[0],
        type=click.Choice(contracts()),
    )
    only: tuple[str, ...] = several("Only these operations.", "GLOB")
    seeds: int = option(
        "How many times cases of each operation are drawn; always the same ones.",
        default=SEEDS,
        type=click.IntRange(min=1),
    )
    format: str = option(
        "Format of the output.",
        default="text",
        type=click.Choice(["text", "md"]),
    )
    out: Path | None = option(
        "Keep plan, run and reports in this new folder.",
        type=FOLDER,
    )


@click.command()
@with_options(DiffOptions)
def diff(options: DiffOptions) -> None:
    """Send the same requests to LEFT and RIGHT, two addresses or profiles (FILE.toml), and say
    where their answers differ.

    Each case ends with reads of everything that it names. The gravest cause comes first: a status
    before a body, a write before a read.

    Exit code: 0 no difference, 1 some, 2 wrong usage, 3 the cases have not all been answered.

    Example: lakepact diff http://127.0.0.1:8181 theirs.toml --only '*Table*'
    """

    def send() -> None:
        contract, out = options.contract, options.out
        sides = (f"left={options.left}", f"right={options.right}")
        targets = parse_targets(sides, (contract,))
        with _folder(out) as folder, LocalEngine(None) as engine:
            for target in targets:
                runs.discover(target)  # before the cases are drawn, which takes longer
            plans.plan(
                contract,
                folder / "plan",
                seeds=range(options.seeds),
                modes=(EFFECT,),
                only=options.only or ("*",),
                draw=engine.draw,
            )
            with Ticker("answers") as ticker:
                comparison = compare(
                    folder / "plan", folder / "run", targets, engine=engine, ticker=ticker
                )
            if out is not None:
                (out / "report.md").write_text(markdown.markdown(comparison), encoding="utf-8")
                (out / "report.html").write_text(html.html(comparison), encoding="utf-8")
            if options.format == "md":
                click.echo(markdown.markdown(comparison))
            else:
                text.show(comparison, Screen())
            if comparison.missing:
                raise Refused(
                    "one of the targets stopped answering: not all cases have been sent to both"
                )
            sys.exit(runner.NOT_CONFORMANT if comparison.causes else runner.CONFORMANT)

    with_errors_in_one_line("diff", send, command="lakepact diff")


def compare(
    plan: Path, run: Path, targets: Sequence[TargetSettings], *, engine: Engine, ticker: Ticker
) -> facts.Facts:
    """Return the differences of targets in a new run of a plan, the gravest with the smallest
    sequences that show them.

    Raises:
        Refused: a target does not answer.
    """
    runs.prepare(plan, run, targets)
    for progress in runs.send_remaining(run, engine, every=ticker.every):
        ticker.tell(progress.stored, progress.total)
    run_verdicts.judge(run, engine)
    result = facts.facts(run, run_verdicts.analyse(run, engine), has_base=False)
    gravest = () if result.missing else result.causes[: text.SHOWN]
    return replace(
        result,
        causes=(
            *(replay.reproduce(run, cause) for cause in gravest),
            *result.causes[len(gravest) :],
        ),
    )


@contextlib.contextmanager
def _folder(out: Path | None) -> Generator[Path]:
    """Yield the folder of a new campaign.

    Raises:
        ValueError: the folder is not empty.
    """
    if out is None:
        with tempfile.TemporaryDirectory(
            prefix="lakepact-diff-", ignore_cleanup_errors=True
        ) as folder:
            yield Path(folder)
        return
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"--out {out}: there is something in it; name a new folder")
    out.mkdir(parents=True, exist_ok=True)
    yield out
