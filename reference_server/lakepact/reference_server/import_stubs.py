"""Stubs of modules that connexion imports and this server never uses: importing them takes half of
the start-up time.

connexion imports starlette's test client for `app.test_client()`, requests for remote references in
contracts, and httpx to verify tokens remotely. Our contracts have no remote references, and our
tests speak HTTP.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator
from types import ModuleType
from typing import Any


class _Spared(ModuleType):
    """Stands in for a module: whatever is imported from it is a class that does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__module__": self.__name__})


@contextlib.contextmanager
def stub_imports(*modules: str) -> Generator[None]:
    """Spare the import of modules inside; whoever imports them afterwards gets the real ones."""
    missing = [name for name in modules if name not in sys.modules]
    sys.modules.update({name: _Spared(name) for name in missing})
    try:
        yield
    finally:
        for name in missing:
            del sys.modules[name]
