"""Which files of a snapshot a query may leave out, by what its hints say and what is known of the files.

A file is left out only if no row of it can match. What is unsure, misspelled or not understood leaves nothing out.
"""

from __future__ import annotations

from lakepact.reference_server.delta_sharing.hints.selection import selected

__all__ = ["selected"]
