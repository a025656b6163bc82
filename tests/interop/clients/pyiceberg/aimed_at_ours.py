"""A pytest plugin that runs pyiceberg's own, unchanged integration tests on one server.

The tests use one fixed address. The plugin connects every REST catalog of that address with our
server, with further properties if any. It deselects tests that need Spark, Hive or another kind of
catalog, and duplicates under two names for one catalog.
"""

from __future__ import annotations

import json
import os
import sys
from types import ModuleType
from typing import Any

import pytest
from pyiceberg.catalog.rest import RestCatalog

KNOWN = "http://localhost:8181"
OURS = os.environ["AIMED_AT"]
MORE = json.loads(os.environ.get("AIMED_WITH", "{}"))
OTHERS = {
    "spark",
    "session_catalog_hive",
    "hive_catalog",
    "memory_catalog",
    "sqlite_catalog_memory",
    "sqlite_catalog_file",
}

if "pyspark" not in sys.modules:
    # The modules import Spark; no remaining test uses it.
    stand_in: dict[str, Any] = {
        name: ModuleType(name) for name in ("pyspark", "pyspark.sql", "pyspark.sql.utils")
    }
    for module, name in (
        ("pyspark.sql", "SparkSession"),
        ("pyspark.sql", "DataFrame"),
        ("pyspark.sql.utils", "AnalysisException"),
    ):
        setattr(stand_in[module], name, type(name, (Exception,), {}))
    stand_in["pyspark"].sql = stand_in["pyspark.sql"]
    sys.modules.update(stand_in)

_original_init = RestCatalog.__init__


def _init_for_ours(self: RestCatalog, name: str, **properties: str) -> None:
    if properties.get("uri") in {KNOWN, OURS}:
        own = {key: value for key, value in properties.items() if not key.startswith("s3.")}
        properties = {**own, "uri": OURS, **MORE}
    _original_init(self, name, **properties)


RestCatalog.__init__ = _init_for_ours  # type: ignore[method-assign]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests that no REST catalog can pass alone."""
    left_out = [item for item in items if _is_left_out(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def _is_left_out(item: pytest.Item) -> bool:
    twice = "test_catalog.py" in item.nodeid and "[rest_catalog]" in item.nodeid
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    fixtures = {getattr(value, "name", None) for value in parameters} | set(
        getattr(item, "fixturenames", ())
    )
    return twice or bool(fixtures & OTHERS)


@pytest.fixture(scope="session", autouse=True)
def _the_namespace_that_upstream_makes_with_spark() -> None:
    RestCatalog("makes", uri=OURS).create_namespace_if_not_exists("default")
