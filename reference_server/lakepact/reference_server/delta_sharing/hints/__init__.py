"""Data skipping: the files of a snapshot that a query may leave out, by its hints and the files'
statistics.

A file is left out only if none of its rows can match. Unknown, misspelled or unsupported hints
leave nothing out.
"""

from __future__ import annotations

from lakepact.reference_server.delta_sharing.hints.selection import select

__all__ = ["select"]
