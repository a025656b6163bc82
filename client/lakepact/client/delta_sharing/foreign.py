"""Types of optional libraries, which are not imported at run time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

#: A `pyarrow.Table`; pyarrow has no annotations.
ArrowTable: TypeAlias = Any
#: A `pyarrow.compute.Expression`.
ArrowExpression: TypeAlias = Any
PandasFrame: TypeAlias = "pd.DataFrame"
PolarsFrame: TypeAlias = "pl.DataFrame"
