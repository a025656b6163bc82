"""Imports generated packages of hostile documents and calls all that they define:
`python call_everything.py PACKAGE …`.
"""

from __future__ import annotations

import inspect
import json
import sys
import warnings
from importlib import import_module
from typing import Any

import httpx
from pydantic import TypeAdapter


def main(packages: list[str]) -> None:
    """Call each operation of each package through its client and its server."""
    warnings.filterwarnings("ignore", "Pydantic serializer warnings")  # the bodies are of no model
    warnings.filterwarnings("ignore", ".* conflicts with protected namespace")
    for name in packages:
        modules: Any = {
            module: import_module(f"{name}.{module}")
            for module in ("models", "endpoints", "server", "client", "operations")
        }
        for model in vars(modules["models"]).values():
            if getattr(model, "__module__", "") == f"{name}.models":
                TypeAdapter(model).json_schema()
                inspect.getdoc(model)
        handlers = type(
            "Handlers",
            (),
            {
                operation.function: lambda *_, **__: None
                for operation in modules["operations"].OPERATIONS.values()
            },
        )
        application = modules["server"].application(handlers())
        application._routes  # noqa: B018 - it compiles the paths
        with httpx.Client(transport=httpx.WSGITransport(application), base_url="http://a") as http:
            for operation in modules["operations"].OPERATIONS.values():
                call(modules, operation, modules["client"].Client(http))
        operations = [
            (operation.path, operation.id)
            for operation in modules["operations"].OPERATIONS.values()
        ]
        sys.stdout.write(json.dumps(operations) + "\n")


def call(modules: Any, operation: Any, client: Any) -> None:
    """Call an operation; only its names and values may be ones that HTTP or the model refuses
    them.
    """
    function = getattr(modules["endpoints"], operation.function)
    inspect.getdoc(function)
    request = function(**dict.fromkeys(inspect.signature(function).parameters, "text"))
    try:
        client.send(request)
    except (
        httpx.InvalidURL,
        httpx.LocalProtocolError,
        UnicodeEncodeError,
        ValueError,
        modules["client"].ResponseError,
    ):
        pass


if __name__ == "__main__":
    main(sys.argv[1:])
