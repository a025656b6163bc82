"""Errors as Spark shows them."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from lakepact.client.errors import LakepactError
from lakepact.spark.options import OptionError

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def explained(*, traced: bool = False) -> Generator[None]:
    """Raise errors of options, of the client, of files and of missing libraries as an `AnalysisException` that says what to do.

    Args:
        traced: Leaves Python's traceback to Spark's message: of a stream that cannot be made, nothing else names this error.
    """
    try:
        yield
    except (OptionError, LakepactError, ImportError, ValueError, OSError) as error:
        if not traced:
            os.environ["SPARK_HIDE_TRACEBACK"] = "1"  # of this worker, which ends with the error
        raise AnalysisException(f"lakepact: {error}") from None
