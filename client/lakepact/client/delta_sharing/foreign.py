"""Optional libraries and libraries without annotations."""

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
