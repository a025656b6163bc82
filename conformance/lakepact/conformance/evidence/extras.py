"""The extras that install optional libraries."""

from __future__ import annotations

from importlib.util import find_spec

#: The extra to install for a library that is missing while a server or client is checked; others
#: come with `conformance`.
OF_CHECKS = {
    "deltalake": "delta",
    "hypothesis": "fuzz",
    "pyarrow": "delta",
    "pyroaring": "delta",
    "schemathesis": "fuzz",
}
FUZZ = ("hypothesis", "schemathesis")
DELTA = ("deltalake", "pyarrow", "pyroaring")


def require(*libraries: str) -> None:
    """Check that libraries are installed, without importing them.

    Raises:
        ModuleNotFoundError: one is not installed; its `name` is the library.
    """
    for library in libraries:
        if find_spec(library) is None:
            raise ModuleNotFoundError(f"No module named {library!r}", name=library)
