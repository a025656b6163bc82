"""Errors as Spark shows them."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager

from pyspark.errors import AnalysisException

from lakepact.client.errors import LakepactError
from lakepact.spark.options import OptionError


@contextmanager
def explain() -> Generator[None]:
    """Raise errors of options, of the client, of files and of missing libraries as an
    `AnalysisException` that says what to do.
    """
    try:
        yield
    except (OptionError, LakepactError, ImportError, ValueError, OSError) as error:
        os.environ["SPARK_HIDE_TRACEBACK"] = (
            "1"  # of Python in Spark's message; the worker ends with the error
        )
        raise AnalysisException(f"lakepact: {error}") from None
