"""The console of all verbs."""

from __future__ import annotations

import errno
import os
from typing import NoReturn

from rich.console import Console


class Screen(Console):
    """A console that raises BrokenPipeError when its pipe is closed; rich would exit with 1."""

    def on_broken_pipe(self) -> NoReturn:
        """Raise the error of a closed pipe.

        Raises:
            BrokenPipeError: always.
        """
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
