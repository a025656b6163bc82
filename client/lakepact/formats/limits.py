"""Limits of the bytes that files of others may have when they are decoded."""

from __future__ import annotations

from dataclasses import dataclass

#: The bytes that are decoded at once unless a caller allows others.
DECODED = 512 << 20


@dataclass(frozen=True, slots=True)
class Limit:
    """The most bytes that are decoded at once, and the setting that allows more."""

    size: int
    setting: str

    def check(self, size: int) -> None:
        """Refuse a larger size.

        Raises:
            TooLarge: The size is above the limit.
        """
        if size > self.size:
            raise self.error(f"more than {self.size} bytes of it would be decoded at once")

    def error(self, problem: str) -> TooLarge:
        """Return the error for a file that exceeds the limit."""
        return TooLarge(f"{problem}; {self.setting} allows more")


class Unreadable(ValueError):
    """A file is not of its format, or has parts that no table needs."""


class TooLarge(ValueError):
    """A file decodes to more bytes than allowed; the message names the setting."""
