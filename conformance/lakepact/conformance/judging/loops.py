"""Loops that an exception left, so that cases of a requirement are missing which was judged in the loop.

A check may judge one requirement in each round of a loop. If a later round raises, the rounds before it prove nothing.
"""

from __future__ import annotations

import dis
import inspect
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType

#: The functions that are being called, the innermost first: the code of each and the offset of its current instruction.
Site: TypeAlias = "tuple[tuple[CodeType, int], ...]"

DEPTH = 12  #: functions of a site; the loops of a check are not further away


def site() -> Site:
    """Return where the caller is."""
    found: list[tuple[CodeType, int]] = []
    frame = inspect.currentframe()
    while frame is not None and len(found) < DEPTH:
        found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(found)


def left(sites: Iterable[tuple[str, Site]], broken: BaseException) -> frozenset[str]:
    """Return the requirements that were judged in a loop which an exception left.

    Args:
        sites: requirements, and where each was judged.
        broken: the exception.
    """
    around: set[tuple[CodeType, range]] = set()
    step = broken.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        around.update((code, loop) for loop in _loops(code) if step.tb_lasti in loop)
        step = step.tb_next
    return frozenset(
        requirement for requirement, calls in sites for code, offset in calls for at, loop in around if at is code and offset in loop
    )


@cache
def _loops(code: CodeType) -> tuple[range, ...]:
    """Return the offsets of the instructions of each loop: from the target of a backward jump to the jump."""
    jumps = (i for i in dis.get_instructions(code) if i.opname.startswith("JUMP_BACKWARD") or "_BACKWARD_" in i.opname)
    return tuple(range(int(jump.argval), jump.offset + 1) for jump in jumps)
