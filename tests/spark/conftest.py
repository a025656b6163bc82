"""A Spark session, and Delta tables that a reference server shares."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from lakepact.reference_server import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TOKEN = "planted-Token.0123456789"


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Yield a session of two cores with the format `lakepact`."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is installed with the extra `spark`")
    from lakepact.spark import register  # noqa: PLC0415 - where pyspark is there

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    }
    session = sql.SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    register(session)
    yield session
    session.stop()


@pytest.fixture
def sharing(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Yield a function that shares folders as `share.schema.NAME` and returns the file of the profile."""
    servers = []

    def sharing(*folders: Path, **settings: Any) -> str:
        tables = [{"name": folder.name, "location": str(folder), "historyShared": True} for folder in folders]
        document = {
            "version": 1,
            "shares": [{"name": "share", "schemas": [{"name": "schema", "tables": tables}]}],
            "recipients": [{"name": "partner", "bearerToken": TOKEN}],
        }
        (tmp_path / "shares.yaml").write_text(yaml.safe_dump(document | settings))
        servers.append(running(shares=tmp_path / "shares.yaml", warehouse="memory:"))
        endpoint = servers[-1].__enter__().address("delta_sharing")
        profile = tmp_path / "partner.share"
        profile.write_text(json.dumps({"shareCredentialsVersion": 1, "endpoint": endpoint, "bearerToken": TOKEN}))
        return str(profile)

    yield sharing
    for server in servers:
        server.__exit__(None, None, None)
