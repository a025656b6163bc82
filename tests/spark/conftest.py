"""A Spark session, and Delta tables that a reference server shares."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from lakepact.reference_server import running
from spark_clusters import local_session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = "planted-Token.0123456789"


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Yield a session of two cores with the format `lakepact`."""
    pytest.importorskip("pyspark.sql", reason="pyspark is installed with the extra `spark`")
    with local_session() as session:
        yield session


@contextlib.contextmanager
def sharing_of(work: Path, *folders: Path, **settings: Any) -> Iterator[str]:
    """Share folders as `share.schema.NAME`, with their history, and yield the file of the
    profile.
    """
    tables = [
        {"name": folder.name, "location": str(folder), "historyShared": True} for folder in folders
    ]
    document = {
        "version": 1,
        "shares": [{"name": "share", "schemas": [{"name": "schema", "tables": tables}]}],
        "recipients": [{"name": "partner", "bearerToken": TOKEN}],
    }
    (work / "shares.yaml").write_text(yaml.safe_dump(document | settings))
    with running(shares=work / "shares.yaml", warehouse="memory:") as server:
        endpoint = server.address("delta_sharing")
        profile = work / "partner.share"
        profile.write_text(
            json.dumps({"shareCredentialsVersion": 1, "endpoint": endpoint, "bearerToken": TOKEN})
        )
        yield str(profile)
