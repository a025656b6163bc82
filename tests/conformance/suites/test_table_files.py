"""The harness looks at files only where it shares them with the target."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakepact.conformance.checks.iceberg_rest.kit.table_files import local_path
from lakepact.conformance.checks.iceberg_rest.suite import launch_settings
from lakepact.conformance.outcome import NotOffered


@pytest.mark.parametrize("location", ["file:///data/t/metadata/a.json", "file:/data/t/metadata/a.json", "/data/t/metadata/a.json"])
def test_a_local_location_is_a_path(location: str) -> None:
    assert local_path(location) == Path("/data/t/metadata/a.json")


def test_localhost_is_this_machine() -> None:
    assert local_path("file://localhost/data/t") == Path("/data/t")


@pytest.mark.parametrize("location", ["s3://bucket/t", "memory:/t", "file://elsewhere/t", "data/t", ""])
def test_any_other_location_cannot_be_looked_at(location: str) -> None:
    with pytest.raises(NotOffered):
        local_path(location)


def test_the_files_of_an_embedded_server_can_be_read(tmp_path: Path) -> None:
    assert launch_settings(tmp_path).features["readable-files"] is True
