"""Errors about damaged and too large files; they replace the errors of libraries."""

from __future__ import annotations

import contextlib
import struct
from typing import TYPE_CHECKING

import pyarrow as pa
from pyiceberg.exceptions import ResolveError

from lakepact.client.errors import DamagedData, Failure, LimitExceeded
from lakepact.formats.limits import TooLarge

if TYPE_CHECKING:
    from collections.abc import Generator

#: Errors that libraries raise for what damaged files hold.
_DAMAGE = (
    ResolveError,
    pa.ArrowException,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
)


@contextlib.contextmanager
def file_errors(file: str = "a file of the table") -> Generator[None]:
    """Raise the client's errors for what files of a table hold.

    Args:
        file: The file, as messages name it.

    Raises:
        LimitExceeded: A file decodes to more than allowed.
        DamagedData: A file is damaged, or does not fit the table.
    """
    try:
        yield
    except TooLarge as error:
        raise LimitExceeded(Failure(operation="loadTable", message=str(error))) from error
    except _DAMAGE as error:
        text = " ".join(str(error).split())[:300] or type(error).__name__
        message = f"{file} cannot be read: {text}"
        raise DamagedData(Failure(operation="loadTable", message=message)) from error
