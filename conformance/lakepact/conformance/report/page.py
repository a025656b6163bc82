"""A page as one HTML file without outside resources."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.escaping import html as escape
from lakepact.conformance.report.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SAYS = "requirement"  #: heading of a last column that narrow screens leave out


def page(title: str, parts: Iterable[str], *, script: str = "") -> str:
    """Return the file from the parts of its body.

    The page forbids browsers to load anything, and to run any script but its own.

    Args:
        title: the title.
        parts: the body, as HTML.
        script: the script that runs at the end of the body.
    """
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
    head += f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}"><meta name="color-scheme" content="light dark">'
    ending = f"\n<script>{script}</script>" if script else ""
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head><body>\n'
        + "\n".join(parts)
        + f"{ending}\n</body></html>\n"
    )


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    own = f"'sha256-{digest}'" if script else "'none'"
    return f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src {own}"


def wide(head: Sequence[str], rows: Iterable[str], *, numbers: int = 0, centred: int = 0) -> str:
    """Return a table that scrolls sideways where it does not fit.

    Args:
        head: names of the columns.
        rows: the rows, as HTML.
        numbers: how many columns after the first hold numbers.
        centred: how many columns after these hold signs.
    """
    marks = ["", *["n"] * numbers, *["c"] * centred] + [""] * len(head)
    marks[len(head) - 1] = "sentence" if head[-1] == SAYS else marks[len(head) - 1]
    top = "".join(f'<th scope="col"{f" class={mark}" if mark else ""}>{escape(name)}</th>' for name, mark in zip(head, marks, strict=False))
    return f'<div class="wide" tabindex="0"><table><thead><tr>{top}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
