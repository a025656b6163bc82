"""The console of all verbs."""

from __future__ import annotations

import errno
import os
from typing import NoReturn

from rich.console import Console


class Screen(Console):
    """A console that tells the command when nobody reads any more, as any other file does; rich would end it with the exit code 1."""

    def on_broken_pipe(self) -> NoReturn:
        """Say that nobody reads.

        Raises:
            BrokenPipeError: always.
        """
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
