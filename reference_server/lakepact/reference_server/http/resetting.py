"""A path that empties the catalog, for tests in any language."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any

from lakepact.reference_server.http.router import AsgiApp


class Resetting:
    """An application that a POST to a path replaces by a new one, with 204; requests that came
    before it are answered by the one from before.

    Args:
        build: Builds the application, whose catalog is as at the start.
        path: The path.
    """

    def __init__(self, build: Callable[[], AsgiApp], path: str) -> None:
        self._build, self._path = build, path
        self._app = build()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Answer one request."""
        if (scope["type"], scope.get("method"), scope.get("path")) != ("http", "POST", self._path):
            await self._app(scope, receive, send)
            return
        self._app = self._build()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})
