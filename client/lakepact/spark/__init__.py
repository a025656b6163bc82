"""Spark reads shared tables and Iceberg tables without a jar:
`spark.dataSource.register(LakepactDataSource)`.

The data source is loaded when it is first named: it needs pyspark and pyarrow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.extras import install

if TYPE_CHECKING:
    from lakepact.spark.data_source import LakepactDataSource

__all__ = ["LakepactDataSource"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from lakepact.spark import data_source  # noqa: PLC0415 - where pyspark is there

        return getattr(data_source, name)
    except ModuleNotFoundError as missing:
        raise ImportError(
            f"this needs {missing.name}: {install('spark')}", name=missing.name
        ) from missing
    except (
        AttributeError
    ) as error:  # `from lakepact.spark import …` would say that there is no such name
        raise ImportError(f"{name} cannot be loaded: {error}", name=__name__) from error
