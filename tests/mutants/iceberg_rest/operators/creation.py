"""Tables that are created with other contents than requested, or although they cannot be
created.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

from lakepact.reference_server.faults import Install, on_call, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.operations import CREATE

#: A part of a request that nothing is wrong with.
HARMLESS: Document = {
    "type": "struct",
    "fields": [{"id": 1, "name": "id", "type": "long", "required": True}],
}


def is_staging(body: Document) -> bool:
    """Whether a request only stages a table."""
    return body.get("stage-create") is True


def made_with(
    spoil: Callable[[Document, Document], None], *, rule: str = "new_metadata"
) -> Install:
    """The metadata of new tables, staged or not, or of whatever else `rule` makes, are changed by
    `spoil(metadata, body)`.
    """

    def wrapper(make: Callable[..., Document]) -> Callable[..., Document]:
        def spoiled(body: Document, **facts: Any) -> Document:
            metadata = copy.deepcopy(make(body, **facts))
            spoil(metadata, body)
            return metadata

        return spoiled

    return wrap_rule(rule, wrapper)


def accepting_anyway(why: str, *, when: Callable[[Document], bool] = bool) -> Install:
    """If creating a table is refused for a reason that matches `why`, the table is created without
    that part.
    """
    reason = re.compile(why)

    def act(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            body = arguments["body"]
            if problem.status != 400 or not reason.search(problem.message) or not when(body):
                raise
        harmless = {"name": body["name"], "schema": HARMLESS, "stage-create": is_staging(body)}
        return handler(**{**arguments, "body": harmless})

    return on_call(CREATE, act)
