"""The harness reads files only at locations that it shares with the target."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakepact.conformance.checks.iceberg_rest.kit.files.locations import local_path
from lakepact.conformance.checks.iceberg_rest.suite import launch_settings
from lakepact.conformance.evidence.outcome import NotOffered


@pytest.mark.parametrize(
    "location",
    [
        "file:///data/t/a.json",
        "file:/data/t/a.json",
        "/data/t/a.json",
        "file://localhost/data/t/a.json",
    ],
)
def test_local_location_is_a_path(location: str) -> None:
    assert local_path(location) == Path("/data/t/a.json")


@pytest.mark.parametrize(
    "location", ["s3://bucket/t", "memory:/t", "file://elsewhere/t", "data/t", ""]
)
def test_remote_location_is_not_offered(location: str) -> None:
    with pytest.raises(NotOffered):
        local_path(location)


def test_embedded_server_has_readable_files(tmp_path: Path) -> None:
    assert launch_settings(tmp_path).features["readable-files"] is True
