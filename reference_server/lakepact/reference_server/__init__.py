"""The reference server: a catalog that answers exactly as its contract says, or wrong in exactly the way that it is told to.

`with running() as server:` has it answering at `server.url`, in a thread of this process.
"""

import warnings

from .spared import spared

with warnings.catch_warnings(), spared("starlette.testclient", "requests", "httpx"):
    # connexion imports names of jsonschema and starlette that these have deprecated.
    warnings.filterwarnings("ignore", message=r"jsonschema\..* is deprecated")
    warnings.filterwarnings("ignore", message="Using `httpx` with `starlette.testclient`")
    from .running import Server, running

__all__ = ["Server", "running"]
