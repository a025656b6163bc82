"""Parts of the pages of reports, matrices and campaigns, and a page as one HTML file without
outside resources.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.escaping import html as escape
from lakepact.conformance.report.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lakepact.conformance.report.looks import Look

SAYS = "text"  #: heading of a last column that narrow screens leave out


def page(title: str, parts: Iterable[str], *, script: str = "") -> str:
    """Return the file from the parts of its body.

    The page forbids browsers to load anything, and to run any script but its own.

    Args:
        title: the title.
        parts: the body, as HTML.
        script: the script that runs at the end of the body.
    """
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width,'
        f' initial-scale=1"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}"><meta'
        ' name="color-scheme" content="light dark">'
    )
    ending = f"\n<script>{script}</script>" if script else ""
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head><body>\n'
        + "\n".join(parts)
        + f"{ending}\n</body></html>\n"
    )


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    own = f"'sha256-{digest}'" if script else "'none'"
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline';"
        f" script-src {own}"
    )


def top(
    kicker: str,
    title: str,
    facts: Mapping[str, object],
    *,
    notices: Iterable[str] = (),
    links: Mapping[str, str] | None = None,
) -> str:
    """Return the head of a page.

    Args:
        kicker: the kind of page.
        title: the heading, as HTML.
        facts: the facts below it.
        notices: what a reader has to know first, as HTML.
        links: the headings of sections, by anchor.
    """
    meta = "".join(
        f"<li>{escape(name)} <b>{escape(value)}</b></li>" for name, value in facts.items()
    )
    nav = "".join(f'<a href="#{anchor}">{name}</a>' for anchor, name in (links or {}).items())
    return "\n".join(
        (
            f'<header class="top"><p class="kicker">{escape(kicker)}</p>\n<h1>{title}</h1>',
            f'<ul class="meta">{meta}</ul>' if meta else "",
            *(f'<p class="notice">{notice}</p>' for notice in notices),
            f"<nav>{nav}</nav></header>" if nav else "</header>",
        )
    )


def chip(look: Look, text: object = "", *, title: str = "") -> str:
    """Return a sign with a text in the colour of a look."""
    attribute = f' title="{escape(title)}"' if title else ""
    return (
        '<span class="v'
        f' {look.style or "none"}"{attribute}>{f"{look.sign} {escape(text)}".rstrip()}</span>'
    )


def share_bar(counts: Mapping[Look, int]) -> str:
    """Return the shares of looks as a bar."""
    parts = "".join(
        f'<i class="{look.style}" style="flex:{n}"></i>' for look, n in counts.items() if look.style
    )
    return f'<span class="bar">{parts}</span>'


def card(
    heading: str,
    where: str,
    counts: Mapping[Look, int],
) -> str:
    """Return the counts of one target.

    Args:
        heading: the name of the target, as HTML.
        where: its address and the like, as HTML.
        counts: the requirements by look.
    """
    passing = sum(n for look, n in counts.items() if look.style == "pass")
    applicable = sum(n for look, n in counts.items() if look.style)
    tally = "".join(
        f"<li>{chip(look, f'{n:,} {look.sentence}')}</li>" for look, n in counts.items()
    )
    return (
        f'<div class="card">{heading and f"<h3>{heading}</h3>"}{where}<div'
        f' class="big"><strong>{passing:,} of {applicable:,}</strong><span>of the applicable'
        f" requirements pass</span></div>{share_bar(counts)}<ul"
        f' class="tally">{tally}</ul></div>'
    )


def wide(head: Sequence[str], rows: Iterable[str], marks: Sequence[str] = ()) -> str:
    """Return a table that scrolls sideways where it does not fit.

    Args:
        head: names of the columns.
        rows: the rows, as HTML.
        marks: of the columns after the first: `n` for numbers, `c` for signs.
    """
    styles = ["", *marks, *[""] * len(head)][: len(head)]
    styles[-1] = "says" if head[-1] == SAYS else styles[-1]
    names = (
        f'<th scope="col"{style and f" class={style}"}>{escape(name)}</th>'
        for name, style in zip(head, styles, strict=True)
    )
    return (
        '<div class="wide"'
        f' tabindex="0"><table><thead><tr>{"".join(names)}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def plain_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table of texts and numbers; each row begins with its name."""
    marks = ["n" if isinstance(value, int) else "" for value in rows[0][1:]] if rows else []
    return wide(
        head,
        (
            f'<tr><th scope="row">{escape(name)}</th>{"".join(map(_cell, cells))}</tr>'
            for name, *cells in rows
        ),
        marks,
    )


def _cell(value: object) -> str:
    return (
        f'<td class="n{"" if value else " zero"}">{value:,}</td>'
        if isinstance(value, int)
        else f"<td>{escape(value)}</td>"
    )


def section(anchor: str, heading: str, parts: Iterable[str], *, lead: str = "") -> Iterator[str]:
    """Yield a section of a page.

    Args:
        anchor: its name in addresses.
        heading: its heading.
        parts: what it holds, as HTML.
        lead: what it is about.
    """
    yield f'<section id="{anchor}"><h2>{escape(heading)}</h2>' + (
        f'<p class="lead">{escape(lead)}</p>' if lead else ""
    )
    yield from parts
    yield "</section>"
