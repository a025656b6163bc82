"""Texts of a server in an error of the client move no cursor, break no line, turn nothing."""

from __future__ import annotations

import pytest

from lakepact.client.errors import Failure, LakepactError

HOSTILE = "no\x1b[2J table\r\nroot# \u202egpj.exe\u2028\x9b31m\x00"


@pytest.mark.parametrize("member", ["message", "type", "request_id"])
def test_error_shows_control_characters_as_escapes(member: str) -> None:
    failure = Failure(**{"operation": "loadTable", "message": "refused", member: HOSTILE})
    error = LakepactError(failure)

    for shown in (str(error), repr(error)):
        assert shown.isprintable()
        assert r"no\x1b[2J table\r\nroot# \u202egpj.exe\u2028\x9b31m\x00" in shown
    assert getattr(error, member) == HOSTILE
