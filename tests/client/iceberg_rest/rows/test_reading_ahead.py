"""Files of a scan that are read at the same time."""

from __future__ import annotations

from itertools import count
from threading import Barrier

import pyarrow as pa
import pytest
from pyiceberg.io.pyarrow import PyArrowFileIO

from lakepact.client import IcebergCatalog
from lakepact.reference_server import running

_FILES = 6


class MeetingFileIO(PyArrowFileIO):
    """Opens one of the first two data files when the other one is opened too."""

    meeting: Barrier
    openings: count[int]

    def new_input(self, location):
        """Wait for the other file."""
        if location.endswith(".parquet") and next(self.openings) < 2:
            self.meeting.wait()
        return super().new_input(location)


@pytest.fixture(scope="module")
def server():
    with running() as server, IcebergCatalog(server.url) as catalog:
        catalog.create_namespace("n")
        catalog.create_table("n.t", pa.schema([("id", pa.int64())]))
        for number in range(_FILES):
            catalog.append("n.t", {"id": [number]})
        yield server


def test_files_are_read_at_the_same_time_and_come_in_order(server):
    MeetingFileIO.meeting, MeetingFileIO.openings = Barrier(2, timeout=20), count()
    names = {"py-io-impl": f"{__name__}.MeetingFileIO"}

    with IcebergCatalog(server.url, properties=names) as catalog:
        rows = catalog.scan("n.t").to_arrow()["id"].to_pylist()

    assert rows == list(range(_FILES))[::-1]
