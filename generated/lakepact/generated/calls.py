# Made by codegen.generate from specs/codegen/templates/calls.py, sha256 0322f6d13477ed44. Do not edit: nox -s generate
"""How the parts of a call are written: segments of paths, parameters, forms."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from lakepact.generated.wire import WireModel

Value = str | int | bool


def segment(value: str) -> str:
    """One segment of a path, percent-encoded whole: a slash in it is part of the name."""
    return quote(value, safe="")


def given(*parameters: tuple[str, Value | None]) -> tuple[tuple[str, str], ...]:
    """Return the parameters that have a value, as text."""
    return tuple((name, _text(value)) for name, value in parameters if value is not None)


def form(body: WireModel) -> bytes:
    """Return a flat object as an HTML form."""
    return urlencode([(name, _text(value)) for name, value in body.to_wire().items() if value is not None]).encode()


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
