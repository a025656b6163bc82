"""Errors as Spark shows them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from lakepact.client.errors import LakepactError
from lakepact.spark.options import OptionError

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def explained() -> Generator[None]:
    """Raise errors of options, of the client and of missing libraries as an `AnalysisException` that says what to do."""
    try:
        yield
    except (OptionError, LakepactError, ImportError, ValueError) as error:
        raise AnalysisException(f"lakepact: {error}") from None
