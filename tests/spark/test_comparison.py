"""A notebook compares tables in its own session of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from lakepact.data.compare.on_spark import compare_on_spark

from .conftest import sharing_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),  # those of pyspark
]


def test_comparison_in_a_session_shows_a_missing_row(tmp_path: Path, spark: Any) -> None:
    folders = [tmp_path / "a" / "orders", tmp_path / "b" / "orders"]
    for folder, ids in zip(folders, ([1, 2, 3], [1, 3]), strict=True):
        write_deltalake(folder, pa.table({"id": ids}))

    with sharing_of(tmp_path / "a", folders[0]) as a, sharing_of(tmp_path / "b", folders[1]) as b:
        (table,) = compare_on_spark(spark, f"{a}#share", f"{b}#share", tables=["schema.orders"])

    assert (table.error, table.rows) == ("", (3, 2))
    assert any("2" in (difference.row or "") for difference in table.differences)
