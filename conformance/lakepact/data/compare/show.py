"""A comparison on the terminal, a line for each table and then what differs, and as a page."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from lakepact.conformance.evidence.escaping import html, terminal
from lakepact.conformance.report.page import page, plain_table, top
from lakepact.data.compare.model import Compared, Difference, counted


def line(console: Console, table: Compared) -> None:
    """Show the result of one table."""
    name = terminal(table.table if table.other == table.table else f"{table.table} ↔ {table.other}")
    sign = "[yellow]??[/]" if table.error else "[red]!![/]" if table.differences else "[green]ok[/]"
    console.print(f"{sign} {name}  {terminal(_result(table))}  [dim]{table.seconds:.1f} s[/]")


def details(console: Console, tables: Sequence[Compared], addresses: Sequence[str]) -> None:
    """Show what differs, and a summary."""
    for table in tables:
        if table.differences or table.information:
            console.print(f"\n[bold]{terminal(table.table)}[/]")
            for side, address, pin in zip("AB", addresses, table.pins, strict=True):
                console.print(
                    f"  [dim]{side}: {terminal(address)}{f', {terminal(pin)}' if pin else ''}[/]"
                )
        for difference in table.differences:
            console.print(f"  {sentence(difference)}")
        for difference in table.information:
            console.print(f"  {sentence(difference, color='dim')}")
    console.print(f"\n{summary(tables)}")


def summary(tables: Sequence[Compared]) -> str:
    """Return how many tables differ."""
    failed, unread = (
        sum(bool(getattr(table, name)) for table in tables) for name in ("differences", "error")
    )
    result = f"{counted(len(tables) - unread, 'table')} compared: " + (
        f"{failed} differ" if failed else "no difference"
    )
    return result + (f"; {unread} could not be compared" if unread else "")


def as_page(tables: Sequence[Compared], addresses: Sequence[str]) -> str:
    """Return the comparison as one HTML file."""
    facts: dict[str, object] = dict(zip(("A", "B"), addresses, strict=True))
    lines = [
        (table.table, _result(table), *(pin or "" for pin in table.pins), table.seconds)
        for table in tables
    ]
    parts = [
        top("lakepact data compare", html(summary(tables)), facts),
        "<main>",
        plain_table(("table", "result", "A", "B", "seconds"), lines),
    ]
    for table in tables:
        found = [*table.differences, *table.information]
        if found:
            rows = [
                (
                    each.kind,
                    each.what,
                    *("" if value is None else value for value in (each.a, each.b)),
                )
                for each in found
            ]
            parts.append(
                f"<h2>{html(table.table)}</h2>{plain_table(('kind', 'what', 'A', 'B'), rows)}"
            )
    return page("lakepact data compare", [*parts, "</main>"])


def _result(table: Compared) -> str:
    if table.error:
        return table.error
    if table.differences:
        counts = " and ".join(f"{count:,}" for count in table.rows if count is not None)
        return counted(len(table.differences), "difference") + (counts and f", {counts} rows")
    return "" if table.rows[0] is None else counted(table.rows[0], "row")


def sentence(difference: Difference, *, color: str = "red") -> str:
    """Return a difference as one line of the terminal's markup."""
    sides = [
        "missing" if value is None else terminal(value) for value in (difference.a, difference.b)
    ]
    both = "" if difference.a is None and difference.b is None else f": A {sides[0]}, B {sides[1]}"
    return f"[{color}]{difference.kind:<9}[/] {terminal(difference.what)}{both}"
