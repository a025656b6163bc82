"""A Spark session, and Delta tables that a reference server shares."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from lakepact.reference_server import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = "planted-Token.0123456789"


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Yield a session of two cores with the format `lakepact`."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is installed with the extra `spark`")
    from lakepact.spark import LakepactDataSource  # noqa: PLC0415 - where pyspark is there

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.python.filterPushdown.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    }
    session = sql.SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.dataSource.register(LakepactDataSource)
    yield session
    session.stop()


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
