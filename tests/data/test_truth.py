"""The truth about written tables: their rows, versions and figures."""

from __future__ import annotations

import datetime as dt

from lakepact.data.figures import Figures, figures
from lakepact.data.shapes import SHAPES
from lakepact.data.truth import Version, WrittenTable

ROWS = Version(0, 100)


def test_figures_cover_all_batches() -> None:
    shape = SHAPES["types"]
    read = figures([shape.batch(0, 60), shape.batch(60, 40)])

    assert read["id"] == Figures(0, 0, 99)
    assert read["nothing"] == Figures(100, None, None)
    assert read["instant"].least == dt.datetime(2023, 11, 14, 22, 13, 20, tzinfo=dt.UTC)
    assert read == figures([shape.batch(0, 100)])


def test_inserted_and_deleted_rows_lie_between_two_versions() -> None:
    table = WrittenTable(
        "narrow",
        "narrow",
        "delta",
        1,
        (Version(0, 100), Version(0, 110), Version(5, 110)),
        (0, 1, 2),
    )

    assert (table.inserts(1), table.removals(2)) == (Version(100, 110), Version(0, 5))
    assert table.inserts(2).count == 0


def test_added_column_is_null_in_rows_of_the_first_version() -> None:
    table = WrittenTable("evolved", "evolved", "iceberg", 1, (ROWS, Version(0, 110)), (1, 2))
    amounts = table.shape_of(1).batch(0, 110).column("amount")

    assert (table.shape_of(0).schema.names, amounts[:100].null_count) == (
        ["id", "count", "text"],
        100,
    )
    assert amounts[101].is_valid
