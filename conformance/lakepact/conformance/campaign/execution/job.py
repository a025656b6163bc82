"""The settings that every worker of a campaign gets: it can be pickled and holds no secret."""

from __future__ import annotations

from dataclasses import dataclass

from lakepact.conformance.campaign.targets import TargetSettings


@dataclass(frozen=True)
class Job:
    """The settings of one start of a run, for every worker.

    Args:
        run: folder of the run.
        run_id: its name.
        word: prefix of names, different at each start, so that leftovers of an earlier start do not
            collide.
        targets: the targets.
        turn: how often this start has sent before: later turns send what earlier ones left.
        alone: whether these are the cases beside which nothing else is sent.
        workers: the number of workers at a time.
        rps: requests per second and target, of all workers together; 0 for no limit.
        patience: seconds to wait at the end for targets that are down.
    """

    run: str
    run_id: str
    word: str
    targets: tuple[TargetSettings, ...]
    turn: int = 0
    alone: bool = False
    workers: int = 1
    rps: float = 0.0
    patience: float = 0.0
