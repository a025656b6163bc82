"""Names of a contract as names of Python."""

from __future__ import annotations

import keyword
import re

from lakepact.codegen.documents import Broken

_SEAM = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^0-9A-Za-z]+")


def snake(name: str) -> str:
    """`X-Request-Id`, `pageToken` and `plan-id` as `x_request_id`, `page_token` and `plan_id`.

    Raises:
        Broken: No name of Python comes of it.
    """
    words = _SEAM.sub("_", name).lower().strip("_")
    if not words.isidentifier() or keyword.iskeyword(words):
        raise Broken(f"{name!r} is no name in Python")
    return words
