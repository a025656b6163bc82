"""Findings that a maintainer cannot act on: without evidence, without a side of the comparison, or
with Python values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lakepact.conformance.evidence.outcome import Verdict

#: Python values in text: a dict, list, tuple or set of strings, bytes, an object, a constant.
PYTHON_VALUE = re.compile(
    r"[{\[]'|\((?:'[^']*',? ?)+\)|(?:^|[\s(\[,])b'|<[\w.]+ object|\bdatetime\.\w+\(|"
    r"(?:^|[ :\[{(=])(?:None|True|False)(?=$|[,;\]})]| [a-z])"
)


def obscure(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Yield one line for each broken requirement whose finding is not self-sufficient: the
    requirement, its check and the flaw.
    """
    for verdict in verdicts:
        where = f"{verdict.requirement} ({verdict.check})"
        if not verdict.exchanges:
            yield f"{where}: no exchange shows it"
        if not verdict.expected or not verdict.actual:
            yield f"{where}: expected {verdict.expected!r}, actual {verdict.actual!r}"
        yield from (
            f"{where}: Python value in {text!r}"
            for text in (verdict.expected, verdict.actual)
            if PYTHON_VALUE.search(text)
        )
