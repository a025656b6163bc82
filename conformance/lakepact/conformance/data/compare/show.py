"""A comparison on the terminal: a line for each table, then what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.data.compare.model import counted
from lakepact.conformance.evidence.escaping import terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from lakepact.conformance.data.compare.model import Compared, Difference


def line(console: Console, table: Compared) -> None:
    """Show the result of one table."""
    name = terminal(table.table if table.other == table.table else f"{table.table} ↔ {table.other}")
    if table.error:
        sign, what = "[yellow]??[/]", terminal(table.error)
    elif table.differences:
        counts = " and ".join(f"{count:,}" for count in table.rows if count is not None)
        sign, what = "[red]!![/]", f"{counted(len(table.differences), 'difference')}{counts and f', {counts} rows'}"
    else:
        sign, what = "[green]ok[/]", "" if table.rows[0] is None else counted(table.rows[0], "row")
    console.print(f"{sign} {name}  {what}  [dim]{table.seconds:.1f} s[/]")


def details(console: Console, tables: Sequence[Compared], addresses: Sequence[str]) -> None:
    """Show what differs, and a summary."""
    for table in tables:
        if table.differences:
            console.print(f"\n[bold]{terminal(table.table)}[/]")
            for side, address, pin in zip("AB", addresses, table.pins, strict=True):
                console.print(f"  [dim]{side}: {terminal(address)}{f', {terminal(pin)}' if pin else ''}[/]")
        for difference in table.differences:
            console.print(f"  {sentence(difference)}")
    console.print(f"\n{summary(tables)}")


def summary(tables: Sequence[Compared]) -> str:
    """Return how many tables differ."""
    failed, unread = (sum(bool(getattr(table, name)) for table in tables) for name in ("differences", "error"))
    result = f"{counted(len(tables) - unread, 'table')} compared: " + (f"{failed} differ" if failed else "no difference")
    return result + (f"; {unread} could not be compared" if unread else "")


def sentence(difference: Difference) -> str:
    """Return a difference as one line of the terminal's markup."""
    sides = ["missing" if value is None else terminal(value) for value in (difference.a, difference.b)]
    both = "" if difference.a is None and difference.b is None else f": A {sides[0]}, B {sides[1]}"
    return f"[red]{difference.kind:<9}[/] {terminal(difference.what)}{both}"
