"""What belongs to libraries that are not there in a plain install, or not annotated."""

from __future__ import annotations

from typing import Any, TypeAlias

#: A `pyarrow.Table`.
ArrowTable: TypeAlias = Any
#: A `pyarrow.compute.Expression`.
ArrowExpression: TypeAlias = Any
#: A `pandas.DataFrame`.
PandasFrame: TypeAlias = Any
#: A `polars.DataFrame`.
PolarsFrame: TypeAlias = Any
