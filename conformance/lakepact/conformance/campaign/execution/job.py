"""What every lane of a campaign knows: it can be pickled, and holds no secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakepact.conformance.campaign.targets import Asked


@dataclass(frozen=True)
class Job:
    """What every lane of one start of a run knows.

    Args:
        run: folder of the run.
        run_id: its name.
        word: what names begin with; another one at each start, so that nothing is met that an earlier start left.
        targets: who is asked.
        chunk: number of what is done in this start.
        lanes: how many lanes there are at a time.
        rps: requests a second and target, of all lanes together; 0 for no limit.
        patience: seconds to wait in the end for targets that are down.
    """

    run: str
    run_id: str
    word: str
    targets: tuple[Asked, ...]
    chunk: int = 0
    lanes: int = 1
    rps: float = 0.0
    patience: float = 0.0
