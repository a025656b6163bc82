"""Type aliases for pyarrow, which has no annotations."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias

pa: Any = import_module("pyarrow")
pc: Any = import_module("pyarrow.compute")
pq: Any = import_module("pyarrow.parquet")

Table: TypeAlias = Any  #: a `pyarrow.Table`
Schema: TypeAlias = Any  #: a `pyarrow.Schema`
Array: TypeAlias = Any  #: a `pyarrow.Array` or `pyarrow.ChunkedArray`
