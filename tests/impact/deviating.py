"""The findings of the suite on the server with a mutant: reports compare them with those on another
server.
"""

from __future__ import annotations

import multiprocessing
import tempfile
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.programs.everyday.outcomes import CONTRACT, VERSION
from lakepact.conformance.report.grouping.cases import deviations
from lakepact.conformance.report.run_lines import lines_of
from lakepact.conformance.running import plan, runner
from lakepact.conformance.running import suite as suites
from mutants import fault_named
from mutants.hunting import served

if TYPE_CHECKING:
    from collections.abc import Mapping


def deviating(mutants: Mapping[str, str], *, jobs: int) -> dict[str, list[str]]:
    """Return the deviations that show each requirement broken, on the server with its mutant.

    Args:
        mutants: by requirement.
        jobs: servers at a time.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        return dict(
            zip(mutants, pool.map(_shown, *zip(*mutants.items(), strict=True)), strict=True)
        )


def _shown(requirement: str, mutant: str) -> list[str]:
    suite = suites.load(CONTRACT, VERSION)
    fault = fault_named(mutant, CONTRACT, VERSION)
    with (
        tempfile.TemporaryDirectory(prefix="lakepact-", ignore_cleanup_errors=True) as folder,
        served(suite, folder, faults=(fault,), operation=suite.server_of([requirement])) as target,
    ):
        run = runner.Run(plan.plan(suite, only=[requirement]), target)
        try:
            for _ in run.events():
                pass
        except Blocked:
            return []
        return sorted(deviations(lines_of(run)).get(requirement, ()))
