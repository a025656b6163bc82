# Made by codegen.sync_twin from asynchronous/client.py beside this folder. Do not edit: nox -s generate
"""What the clients of all contracts have in common, for threads."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType


class Client:
    """A client that is closed at the end of a block, and whose copies in other processes open connections of their own."""

    #: The arguments that it was made with.
    _arguments: dict[str, Any]

    def __getstate__(self) -> dict[str, Any]:
        if self._arguments["http"] is not None or isinstance(self._arguments["verify"], ssl.SSLContext):
            raise TypeError(
                f"{type(self).__name__} cannot be pickled with http= or with TLS settings in verify=, which stay in their process; "
                "give verify, cert and proxy as texts, or make the client where it is used"
            )
        return self._arguments

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the server."""
        raise NotImplementedError
