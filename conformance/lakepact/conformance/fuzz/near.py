"""Near misses: bodies that differ from a good one in one or two places."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeAlias

import orjson

from lakepact.conformance.fuzz.steps import Learned

Place: TypeAlias = "tuple[str | int, ...]"

#: Values that have broken servers before.
WILD_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**31,
    2**53 + 1,
    2**63 - 1,
    2**63,
    10**25,
    -(2**63) - 1,
    1.5,
    1e308,
    "",
    " ",
    "\x00",
    "\x1f",
    "\ud7ff\U0001f9ca",
    "a" * 5000,
    "../../etc/passwd",
    "%2e%2e",
    "${jndi:x}",
    "'; drop table x; --",
    [],
    [[]],
    [None],
    {},
    {"": None},
)

MOST_CHANGES = 2
CUT_SHORT = 0.05  #: how many near misses are bytes that end too early


def near_miss(body: Any, random: Random) -> Any:
    """Return a body that is nearly `body`, or the beginning of its bytes; `body` itself is not
    touched.

    Args:
        body: a JSON value, in which `Learned` may stand.
        random: decides.
    """
    places = list(places_in(body))
    if not places or random.random() < CUT_SHORT:
        return cut_short(body, random)
    result = copy.deepcopy(body)
    for _ in range(random.randint(1, MOST_CHANGES)):
        change(result, random.choice(places), random)
    return result


def places_in(value: Any, path: Place = ()) -> Iterator[Place]:
    """Yield the places of a JSON value, outer ones first."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, member in value.items():
            yield from places_in(member, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places_in(item, (*path, index))


def change(body: Any, place: Place, random: Random) -> None:
    """Change one place of `body`; nothing happens where an earlier change took the place away."""
    parent = body
    try:
        for step in place[:-1]:
            parent = parent[step]
        random.choice(CHANGES)(parent, place[-1], copy.deepcopy(random.choice(WILD_VALUES)))
    except (KeyError, IndexError, TypeError):
        return


def cut_short(body: Any, random: Random) -> bytes:
    """Return the beginning of the bytes of `body`, which is not JSON any more unless it was a
    number.
    """
    content = orjson.dumps(body, default=_default)
    return content[: random.randrange(len(content))]


def _default(value: Any) -> Any:
    return value.default if isinstance(value, Learned) else str(value)


def _remove(parent: Any, step: Any, _: Any) -> None:
    del parent[step]


def _replace(parent: Any, step: Any, value: Any) -> None:
    parent[step] = value


def _add(parent: Any, step: Any, value: Any) -> None:
    if isinstance(parent, list):
        parent.insert(step, value)
    else:
        parent[f"{step}-"] = value


def _repeat(parent: Any, step: Any, _: Any) -> None:
    parent.append(copy.deepcopy(parent[step])) if isinstance(parent, list) else _add(
        parent, step, parent[step]
    )


def _wrap(parent: Any, step: Any, _: Any) -> None:
    parent[step] = [parent[step]]


def _as_text(parent: Any, step: Any, _: Any) -> None:
    value = parent[step]
    parent[step] = str(value) if isinstance(value, (int, float)) else value


CHANGES: tuple[Callable[[Any, Any, Any], None], ...] = (
    _remove,
    _replace,
    _replace,
    _replace,
    _add,
    _repeat,
    _wrap,
    _as_text,
)
