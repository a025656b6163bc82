"""The known limits of servers: `limits.toml` says for each server what it cannot do, why, and how
that fails.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path


@dataclass(frozen=True)
class Limit:
    """A use of the client that a server does not allow."""

    server: str  #: a pattern, where `*` stands for anything
    thing: str  #: the same
    reason: str
    fails: tuple[str, ...]  #: regular expressions, one for each failure, in order

    def covers(self, server: str, thing: str) -> bool:
        """Return whether the limit is about a thing on a server."""
        return fnmatchcase(server, self.server) and fnmatchcase(thing, self.thing)

    def complaint(self, failures: Sequence[str]) -> str:
        """Return why these are not the expected failures; nothing if they are, all of them and no
        others.
        """
        if not failures:
            return f"works now, take its limit out of limits.toml: {self.reason}"
        if len(failures) == len(self.fails) and all(map(re.search, self.fails, failures)):
            return ""
        return "\n".join([f"fails otherwise than limits.toml says, {list(self.fails)}:", *failures])


def limits() -> Iterator[Limit]:
    """Yield the limits of all servers."""
    for server, things in tomllib.loads(
        Path(__file__).with_name("limits.toml").read_text("utf-8")
    ).items():
        for thing, limit in things.items():
            yield Limit(server, thing, limit["reason"], tuple(limit["fails"]))


LIMITS = tuple(limits())
