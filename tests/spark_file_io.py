"""A file system of pyiceberg that refuses every file, as storage does with expired credentials."""

from __future__ import annotations

from pyiceberg.io.pyarrow import PyArrowFileIO


class RefusingFileIO(PyArrowFileIO):
    def new_input(self, location: str):
        raise PermissionError(f"the credentials have expired: {location}")
