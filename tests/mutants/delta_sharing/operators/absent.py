"""Faults about what is not there."""

from __future__ import annotations

from lakepact.reference_server.delta_sharing.answers import json_answer
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler


def absent_is_empty(handler: Handler, arguments: Arguments) -> Reply:
    """Missing objects are returned as empty ones."""
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != 404:
            raise
        return json_answer({"items": []})
