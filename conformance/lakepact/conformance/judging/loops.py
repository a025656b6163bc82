"""Loops that an exception left, so that cases of a requirement are missing which was judged in the loop.

A check may judge one requirement in each round of a loop. If a later round raises, the rounds before it prove nothing.
"""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import threading
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType

#: The functions that are being called, the innermost first: the code of each and the offset of its current instruction.
Site: TypeAlias = "tuple[tuple[CodeType, int], ...]"

DEPTH = 12  #: functions of a site; the loops of a check are not further away
_PARSING = threading.Lock()  #: CPython 3.11 counts the depth of the trees of all threads together, and fails


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
    around: set[tuple[CodeType, frozenset[int]]] = set()
    step = broken.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        around.update((code, loop) for loop in _loops(code) if step.tb_lasti in loop)
        step = step.tb_next
    return frozenset(
        requirement for requirement, calls in sites for code, offset in calls for at, loop in around if at is code and offset in loop
    )


@cache
def _loops(code: CodeType) -> tuple[frozenset[int], ...]:
    """Return the offsets of the instructions of each loop.

    Those from the target of a backward jump to the jump, and those of the lines of its body: CPython 3.12 and newer place a branch that
    raises behind the jump.
    """
    jumps = (i for i in dis.get_instructions(code) if i.opname.startswith("JUMP_BACKWARD") or "_BACKWARD_" in i.opname)
    compiled = (frozenset(range(int(jump.argval), jump.offset + 1)) for jump in jumps)
    bodies = (lines for lines in _bodies(code.co_filename) if lines.start >= code.co_firstlineno)
    written = (frozenset(at for start, end, line in code.co_lines() if line in lines for at in range(start, end)) for lines in bodies)
    return (*compiled, *filter(None, written))


@cache
def _bodies(file: str) -> tuple[range, ...]:
    """Return the lines of the body of each `for` and `while` in a file; none if it cannot be read."""
    source = "".join(linecache.getlines(file))
    try:
        with _PARSING:
            tree = ast.parse(source)
    except SyntaxError:  # it was changed since it was loaded
        return ()
    loops = (node for node in ast.walk(tree) if isinstance(node, ast.For | ast.AsyncFor | ast.While))
    return tuple(range(loop.body[0].lineno, (loop.body[-1].end_lineno or 0) + 1) for loop in loops)
