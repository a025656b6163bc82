"""File systems of pyiceberg that refuse files or parts of files, as storage does with expired
credentials.
"""

from __future__ import annotations

import io
from typing import Any

from pyiceberg.io.pyarrow import PyArrowFile, PyArrowFileIO

FOOTER = 64 * 1024  #: bytes at the end of a file that are always read


class RefusingFileIO(PyArrowFileIO):
    def new_input(self, location: str):
        raise PermissionError(f"the credentials have expired: {location}")


class ExpiringFileIO(PyArrowFileIO):
    """Refuses reads that begin in the second half of a file, except its footer."""

    def new_input(self, location: str) -> PyArrowFile:
        found = super().new_input(location)
        return _HalfFile(location=found.location, path=found._path, fs=found._filesystem)


class _HalfFile(PyArrowFile):
    def open(self, seekable: bool = True) -> Any:  # noqa: FBT001, FBT002 - as pyiceberg has it
        with super().open(seekable) as file:
            return _HalfStream(file.read())


class _HalfStream(io.BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        whole = len(self.getbuffer())
        if whole // 2 <= self.tell() < whole - FOOTER:
            raise PermissionError("the credentials have expired")
        return super().read(size)
