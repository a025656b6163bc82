"""polars on a shared table: the fixture tables of lakepact, or yours with @pytest.mark.lakepact(shares="shares.yaml")."""

import polars as pl

from lakepact.client import SharingClient


def test_amounts_are_summed_by_city(lakepact_share: SharingClient) -> None:
    sales = lakepact_share.table("lakepact.tables.partitioned_late").to_polars()

    cities = sales.group_by("city").agg(pl.len()).sort("city", nulls_last=True)

    assert cities["city"].is_not_null().any()
    assert cities["len"].sum() == sales.height > 0
