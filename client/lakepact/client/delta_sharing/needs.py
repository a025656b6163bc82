"""Requirements of reading rows beyond a plain install."""

from __future__ import annotations

import importlib

_EXTRAS = {
    "pyarrow": "lakepact[arrow]",
    "pyiceberg": "lakepact[iceberg]",
    "pyroaring": "lakepact[arrow]",
}


def need(*modules: str) -> None:
    """See that modules are there.

    Raises:
        ImportError: One is not; the message says how to get it.
    """
    for module in modules:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as missing:
            message = f"this needs {module}: pip install '{_EXTRAS.get(module, module)}'"
            raise ImportError(message, name=module) from missing
