"""Requirements of reading rows beyond a plain install."""

from __future__ import annotations

import importlib

from lakepact.extras import install

_EXTRAS = {
    "pyarrow": "arrow",
    "pyiceberg": "iceberg",
    "pyroaring": "arrow",
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
            extra = _EXTRAS.get(module)
            command = install(extra) if extra else f"pip install {module}"
            message = f"this needs {module}: {command}"
            raise ImportError(message, name=module) from missing
