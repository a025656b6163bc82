"""What judges requirements: checks, which send requests of their own, and invariants, which look at every exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from lakepact.conformance.exchanges import Exchange


@dataclass(frozen=True)
class Check:
    """One scenario and the requirements that it judges."""

    name: str  #: `<area>.<function>`
    sentence: str  #: first line of its docstring
    requirements: tuple[str, ...]
    run: Callable[[Any], None]
    alone: bool  #: not side by side with other checks
    waived: frozenset[str] = frozenset()  #: what it judges besides, and is not demanded here: a profile is without it


@dataclass(frozen=True)
class Invariant:
    """What must hold in every exchange that it applies to."""

    name: str
    sentence: str
    requirements: tuple[str, ...]
    judge: Callable[[Exchange], bool | None]  #: False or None: does not apply; raises Unmet: broken
    traffic: tuple[str, ...] = ()  #: checks whose exchanges are enough to judge by; empty: those of all checks are wanted
    topic: Topic | None = None  #: where it can apply; none: anywhere


@dataclass(frozen=True)
class Topic:
    """What an exchange has to show so that an invariant can apply to it.

    Args:
        what: one of the things that exchanges show.
        shown: those that an exchange shows; many invariants ask for the same.
    """

    what: str
    shown: Callable[[Exchange], Collection[str]]
