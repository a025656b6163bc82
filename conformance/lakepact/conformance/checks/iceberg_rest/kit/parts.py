"""Objects in answers, with their places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakepact.conformance.evidence.exchanges import Place
from lakepact.conformance.judging import expect


class Part(dict[str, Any]):
    """An object in an answer, with its place."""

    def __init__(self, document: Mapping[str, Any], at: Place) -> None:
        super().__init__(document)
        self.at = at

    def has(self, member: str, value: Any, what: str = "") -> None:
        """Expect a member to have a value."""
        expect.equal(value, self.get(member), what or f"`{member}`", at=self.at.within(member))
