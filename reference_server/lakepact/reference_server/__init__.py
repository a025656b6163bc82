"""The reference server: a catalog that answers exactly as its contract says, or wrong in exactly
the way that it is told to.

`with running() as server:` has it answering at `server.url`, in a thread of this process.
"""

from lakepact.reference_server.running import Server, running

__all__ = ["Server", "running"]
