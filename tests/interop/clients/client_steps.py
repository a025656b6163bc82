"""Output of the steps of a client driver: "ok", "FAIL" or "known", the name, and a reason if any,
separated by tabs.

The module imports only the standard library, because the drivers run in their own environments.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

URL = sys.argv[1] if len(sys.argv) > 1 else ""
successes: list[str] = []


def step(
    name: str, body: Callable[[], Any], expected: Any = None, *, fails_anywhere: bool = False
) -> Any:
    """Run one step, and print its outcome.

    Args:
        name: the printed name.
        body: the action.
        expected: the result of `body`, or a function that accepts it; None for any result.
        fails_anywhere: whether this client fails with every catalog, which is no failure here.
    """
    try:
        got = body()
        if callable(expected):
            assert expected(got), f"got {got!r}"
        elif expected is not None:
            assert expected == got, f"expected {expected!r}, got {got!r}"
    except Exception as error:  # noqa: BLE001 - whatever goes wrong is what is told
        print(
            "known" if fails_anywhere else "FAIL",
            name,
            " ".join(f"{type(error).__name__}: {error}".split())[:400],
            sep="\t",
            flush=True,
        )
        return None
    successes.append(name)
    print("ok", name, sep="\t", flush=True)
    return got
