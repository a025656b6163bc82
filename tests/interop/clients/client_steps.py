"""How a program that drives a client tells its steps: "ok", "FAIL" or "known", the name, and perhaps a reason, with tabs between them.

It imports nothing but the standard library, because the programs run in environments of their own.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

URL = sys.argv[1] if len(sys.argv) > 1 else ""
passed: list[str] = []


def step(name: str, body: Callable[[], Any], expected: Any = None, *, known: bool = False) -> Any:
    """Do one step.

    Args:
        name: what is told of it.
        body: what is done.
        expected: what `body` has to give, or a function that says whether it may; None for whatever it gives.
        known: this client cannot do it with any catalog, so that it is no failure.
    """
    try:
        got = body()
        if callable(expected):
            assert expected(got), f"got {got!r}"
        elif expected is not None:
            assert expected == got, f"expected {expected!r}, got {got!r}"
    except Exception as error:  # noqa: BLE001 - whatever goes wrong is what is told
        print("known" if known else "FAIL", name, " ".join(f"{type(error).__name__}: {error}".split())[:400], sep="\t", flush=True)
        return None
    passed.append(name)
    print("ok", name, sep="\t", flush=True)
    return got
