"""The files of a table in the warehouse of the server behind the scripted server, a folder of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from lakepact.conformance.judging import expect

if TYPE_CHECKING:
    from collections.abc import Collection

    from lakepact.conformance.clients.listener import Answer
    from lakepact.conformance.clients.scripted_server import Forward, Request, Script
    from lakepact.generated.contract import OperationId


class TableFiles:
    """The files of a table at the time of certain requests, to find out which of them are deleted later.

    Args:
        location: of the table.
    """

    def __init__(self, location: str) -> None:
        self._folder = Path(unquote(urlsplit(location).path))
        self._before: set[Path] = set()

    def _present(self) -> set[Path]:
        return {path for path in self._folder.rglob("*") if path.is_file()}

    def watched(self, script: Script, operations: Collection[OperationId]) -> Script:
        """Return the script; it also notes the files at each request for one of the operations."""

        def watching(request: Request, forward: Forward) -> Answer:
            if request.operation in operations:
                self._before |= self._present()
            return script(request, forward)

        return watching

    def are_kept(self, how: str) -> None:
        """Expect that all noted files still exist.

        Args:
            how: names the files.

        Raises:
            Unmet: some are deleted.
        """
        expect.equal([], sorted(path.name for path in self._before - self._present()), f"deleted files {how}:", at=None)
