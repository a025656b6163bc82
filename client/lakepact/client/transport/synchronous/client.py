# Made by codegen.sync_twin from asynchronous/client.py beside this folder. Do not edit: nox -s generate
"""The options, copies and end of a client of any contract, for threads."""

from __future__ import annotations

import ssl
from collections import deque
from typing import TYPE_CHECKING, Any, Self

from lakepact.client.limits import Timeouts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from lakepact.client.retries import Retries
    from lakepact.reach.wire import Reply


class Client:
    """A client that is closed at the end of a block, and whose copies in other processes open
    connections of their own.
    """

    #: The arguments that it was made with.
    _arguments: dict[str, Any]
    _replies: Sequence[Reply] = ()

    def __getstate__(self) -> dict[str, Any]:
        if self._arguments["http"] is not None or isinstance(
            self._arguments["verify"], ssl.SSLContext
        ):
            obstacle = "http= or with TLS settings in verify=, which stay in their process"
            raise TypeError(
                f"{type(self).__name__} cannot be pickled with {obstacle}; give verify, cert and proxy"
                " as texts"
            )
        return self._arguments

    def with_options(
        self, *, retries: Retries | None = None, timeouts: Timeouts | float | None = None
    ) -> Self:
        """Return this client with other retries or timeouts; both share connections, tokens and
        cache, and are closed together.

        Args:
            retries: The number and duration of retries.
            timeouts: The time to wait for the network; a number is the longest wait of every kind,
                in seconds.
        """
        changes: dict[str, Any] = {} if retries is None else {"retries": retries}
        changes |= {} if timeouts is None else {"timeouts": Timeouts.of(timeouts)}
        return self._copy_with(changes, _arguments=self._arguments | changes)

    def with_response(self) -> Self:
        """Return this client with the last reply of a success in `response`; both share
        connections, tokens and cache.
        """
        replies: deque[Reply] = deque(maxlen=1)
        return self._copy_with({"on_reply": replies.append}, _replies=replies)

    @property
    def response(self) -> Reply | None:
        """The last reply of a success to a client of `with_response`, with `status`, `headers` and
        `request_id`.
        """
        return self._replies[0] if self._replies else None

    def _copy_with(self, options: dict[str, Any], **attributes: Any) -> Self:
        other = object.__new__(type(self))
        vars(other).update(vars(self) | attributes | self._attributes_with(**options))
        return other

    def _attributes_with(self, **options: Any) -> dict[str, Any]:
        """Return the attributes of this client with other options, see
        `Connection.with_options`.
        """
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the server."""
        raise NotImplementedError
