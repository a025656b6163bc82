"""The reference server: a catalog that answers exactly as its contract says, or wrong in exactly the way that it is told to.

from lakepact.reference_server import running

with running() as server:
print(server.url)
"""

import warnings

with warnings.catch_warnings():
    # connexion imports starlette's test client, which warns about the HTTP library that it is built on.
    warnings.filterwarnings("ignore", message="Using `httpx` with `starlette.testclient`")
    from .running import Server, running

__all__ = ["Server", "running"]
