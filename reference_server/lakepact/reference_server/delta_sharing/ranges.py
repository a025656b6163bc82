"""The header `Range` of a request, as parts of a file."""

from __future__ import annotations

import re

RANGE = re.compile(rb"\s*bytes\s*=\s*([0-9]{0,19})\s*-\s*([0-9]{0,19})\s*", re.IGNORECASE)


class NotSatisfiable(Exception):
    """No byte of the file is in the range."""


def part_of_range(header: bytes | None, size: int) -> tuple[int, int] | None:
    """Return the first byte that is asked for and the one behind the last, or None for the whole
    file.

    Several ranges, other units and what is no range at all are answered with the whole, as HTTP
    allows.

    Raises:
        NotSatisfiable: the file has no such byte.
    """
    match = RANGE.fullmatch(header) if header is not None else None
    if match is None or not match[1] + match[2]:
        return None
    first, last = match[1], match[2]
    if not first:
        if int(last) == 0 or size == 0:
            raise NotSatisfiable
        return max(0, size - int(last)), size
    if last and int(last) < int(first):
        return None
    if int(first) >= size:
        raise NotSatisfiable
    return int(first), min(int(last) + 1, size) if last else size
