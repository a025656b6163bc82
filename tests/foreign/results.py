"""The table of what the client can do on which server, as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from servers_matrix.servers import CatalogServer

WORKS, FAILS = "yes", "**fails**"


@dataclass
class Results:
    """The outcome of each thing on each server, in the order in which they ran."""

    cells: dict[str, dict[str, str]] = field(
        default_factory=dict
    )  #: by thing and server: `WORKS`, `FAILS` or a reason
    not_run: dict[str, str] = field(default_factory=dict)  #: by server: why it was not started

    def add(self, thing: str, server: str, outcome: str) -> None:
        """Keep an outcome."""
        self.cells.setdefault(thing, {})[server] = outcome

    def is_complete(self, things: Sequence[str], servers: Sequence[CatalogServer]) -> bool:
        """Return whether nothing failed, and everything ran on every server that could be
        started.
        """
        names = {server.name for server in servers} - self.not_run.keys()
        return all(
            self.cells.get(thing, {}).keys() >= names
            and FAILS not in self.cells.get(thing, {}).values()
            for thing in things
        )

    def page(self, servers: Sequence[CatalogServer]) -> str:
        """Return the page."""
        return "\n".join(self._lines(servers)) + "\n"

    def _lines(self, servers: Sequence[CatalogServer]) -> Iterator[str]:
        yield "# The client on other servers\n"
        yield "The table shows which uses of the client work on servers of other authors, each started fresh. `nox -s foreign`"
        yield "repeats it. It fails if a use stops working, and if one with a reason works. A number is that of a [reason](#reasons).\n"
        yield f"| | {' | '.join(f'{each.title} {each.version}' for each in servers)} |"
        yield f"|---|{'---|' * len(servers)}"
        reasons: dict[str, int] = {}
        for thing, cells in self.cells.items():
            yield f"| {_code(thing)} | {' | '.join(self._cell(cells, each, reasons) for each in servers)} |"
        yield "\n## Reasons\n"
        for reason, number in reasons.items():
            yield f"{number}. {reason}"

    def _cell(self, cells: dict[str, str], server: CatalogServer, reasons: dict[str, int]) -> str:
        name = server.name
        reason = cells.get(name) or self.not_run.get(name, "not chosen")
        if reason in {WORKS, FAILS}:
            return reason
        number = reasons.setdefault(f"{server.title}: {reason}", len(reasons) + 1)
        return f"{'no' if name in cells else 'not run'} ({number})"


def _code(thing: str) -> str:
    kind, mark, rest = thing.partition(": ")
    return f"`{kind}`{mark}{rest}" if kind.endswith(("()", "_catalog")) else thing
