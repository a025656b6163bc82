"""A comparison on the terminal, a line for each table and then what differs, and as a page."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version

from rich.console import Console

from lakepact.conformance.evidence.escaping import html, terminal
from lakepact.conformance.report.page import page, plain_table, top
from lakepact.data.compare.model import TABLE, Compared, Difference, quantity
from lakepact.data.compare.values import MISSING

MOST_TABLES = 3  #: that are named for one information
MOST_VALUES = 3  #: of one information, from which on they are not shown
SEVERAL = "several values"
HEADS = ("kind", "what", "A", "B")
NOT_COMPARED = "Rows of earlier snapshots, statistics of files and grants."


def line(console: Console, table: Compared) -> None:
    """Show the result of one table."""
    name = terminal(table.table if table.other == table.table else f"{table.table} ↔ {table.other}")
    sign = "[yellow]??[/]" if table.error else "[red]!![/]" if table.differences else "[green]ok[/]"
    console.print(
        f"{sign} {name}  {terminal(_result(table) + _in_brackets(table.scope))}  [dim]{table.seconds:.1f} s[/]"
    )


def details(console: Console, tables: Sequence[Compared], addresses: Sequence[str]) -> None:
    """Show what differs, and a summary."""
    for table in tables:
        if table.differences:
            console.print(f"\n[bold]{terminal(table.table)}[/]")
            for side, address, pin in zip("AB", addresses, table.pins, strict=True):
                console.print(
                    f"  [dim]{side}: {terminal(address)}{f', {terminal(pin)}' if pin else ''}[/]"
                )
        for difference in table.differences:
            console.print(f"  {sentence(difference)}")
    information = _group_information(tables)
    if information:
        console.print("\n[bold]Information[/]")
    for difference, names in information:
        console.print(f"  {sentence(difference, color='dim')} [dim]({terminal(names)})[/]")
    console.print(f"\n{summary(tables)}")


def _group_information(tables: Sequence[Compared]) -> list[tuple[Difference, str]]:
    """Return the differences that count as information with the names of their tables, the most
    frequent first. Differences with more than three distinct values are merged into one.
    """
    pairs = [(each, table.table) for table in tables for each in table.information]
    values = Counter(_with_placeholders(each) for each in dict(pairs))
    names = defaultdict[Difference, list[str]](list)
    for difference, table in pairs:
        common = _with_placeholders(difference)
        names[common if values[common] > MOST_VALUES else difference].append(table)
    return [
        (each, _first_of(some))
        for each, some in sorted(names.items(), key=lambda item: -len(item[1]))
    ]


def _first_of(tables: Sequence[str]) -> str:
    more = len(tables) - MOST_TABLES
    return ", ".join(tables[:MOST_TABLES]) + (f" and {more:,} more" if more > 0 else "")


def _with_placeholders(difference: Difference) -> Difference:
    return replace(difference, a=difference.a and SEVERAL, b=difference.b and SEVERAL)


def summary(tables: Sequence[Compared]) -> str:
    """Return how many tables, namespaces and views differ."""
    differing = Counter(table.kind for table in tables if table.differences)
    unread = sum(bool(table.error) for table in tables)
    readable = sum(table.kind == TABLE and not table.error for table in tables)
    scope = next((table.scope for table in tables if table.scope), "")
    verbs = {kind: "differs" if count == 1 else "differ" for kind, count in differing.items()}
    result = f"{differing[TABLE] or 'none'} {verbs.get(TABLE, 'differ')}"
    parts = [
        f"{quantity(readable, TABLE)} compared{_in_brackets(scope)}: {result if differing else 'no difference'}"
        if readable
        else "no table was compared",
        *(
            f"{quantity(differing[kind], kind)} {verbs[kind]}"
            for kind in sorted(verbs.keys() - {TABLE})
        ),
    ]
    if unread:
        parts.append(f"{unread} could not be compared")
    return "; ".join(parts)


def _in_brackets(scope: str) -> str:
    return scope and f" ({scope})"


def as_page(tables: Sequence[Compared], addresses: Sequence[str], options: str) -> str:
    """Return the comparison as one HTML file that a person signs: differing tables first, each with
    a link.

    Args:
        tables: The comparisons.
        addresses: Of both sides, without secrets.
        options: That decide what was compared.
    """
    facts = {
        "A": addresses[0],
        "B": addresses[1],
        "compared": dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "by": f"lakepact {version('lakepact')}",
        "options": options,
    }
    tables_in_order = sorted(
        tables, key=lambda table: (not table.differences, not table.error, table.table)
    )
    anchors = {id(table): f"t{n}" for n, table in enumerate(tables_in_order)}
    results = "".join(_row(table, anchors[id(table)]) for table in tables_in_order)
    rows = [(*_cells(each), names) for each, names in _group_information(tables)]
    heads = "".join(f"<th>{name}</th>" for name in ("table", "result", "rows of A", "rows of B"))
    parts = [
        top("lakepact data compare", html(summary(tables)), facts),
        f'<main><div class="wide"><table><tr>{heads}</tr>{results}</table></div>',
        *(_section(table, anchors[id(table)]) for table in tables_in_order if _is_open(table)),
        *(["<h2>Information</h2>", plain_table((*HEADS, "tables"), rows)] if rows else ()),
        f"<h2>What was not compared</h2><p>{html(NOT_COMPARED)}</p></main>",
    ]
    return page("lakepact data compare", parts)


def _is_open(table: Compared) -> bool:
    return bool(table.differences or table.error)


def _row(table: Compared, anchor: str) -> str:
    name = html(table.table)
    link = f'<a href="#{anchor}">{name}</a>' if _is_open(table) else name
    first = f": {_sentence(table.differences[0])}" if table.differences else ""
    result = "differs" if table.differences else "not compared" if table.error else "same"
    counts = "".join(f"<td>{'' if n is None else f'{n:,}'}</td>" for n in table.rows)
    return f"<tr><td>{link}</td><td>{html(result + _in_brackets(table.scope) + first)}</td>{counts}</tr>"


def _section(table: Compared, anchor: str) -> str:
    pins = "; ".join(f"{side}: {pin}" for side, pin in zip("AB", table.pins, strict=True) if pin)
    parts = [f'<h2 id="{anchor}">{html(table.table)}</h2>', pins and f"<p>{html(pins)}</p>"]
    if table.error:
        parts.append(f"<p>Not compared: {html(table.error)}</p>")
    if table.differences:
        parts.append(plain_table(HEADS, [_cells(each) for each in table.differences]))
    return "".join(parts)


def _cells(difference: Difference) -> tuple[str, ...]:
    what = difference.what.removeprefix(f"{difference.kind} ")
    return difference.kind, what, *_sides(difference)


def _sides(difference: Difference) -> tuple[str, ...]:
    """Return both sides; nothing for a difference that has none."""
    sides = (difference.a, difference.b)
    if sides == (None, None):
        return "", ""
    return tuple(MISSING if side is None else side for side in sides)


def _sentence(difference: Difference) -> str:
    a, b = _sides(difference)
    return difference.what + (f": A {a}, B {b}" if a or b else "")


def _result(table: Compared) -> str:
    if table.error:
        return table.error
    if table.differences:
        counts = " and ".join(f"{count:,}" for count in table.rows if count is not None)
        return quantity(len(table.differences), "difference") + (counts and f", {counts} rows")
    return "" if table.rows[0] is None else quantity(table.rows[0], "row")


def sentence(difference: Difference, *, color: str = "red") -> str:
    """Return a difference as one line of the terminal's markup."""
    text = _sentence(difference).removeprefix(f"{difference.kind} ")
    return f"[{color}]{difference.kind:<9}[/] {terminal(text)}"
