"""The names that most checks of Delta Sharing clients use."""

from __future__ import annotations

from lakepact.conformance.clients import expect
from lakepact.conformance.clients.delta_sharing.lab import ROWS, SharingClientLab, same_rows
from lakepact.conformance.clients.delta_sharing.suite import check
from lakepact.conformance.clients.lab import Performance
from lakepact.conformance.evidence.exchanges import Document, Members
from lakepact.conformance.evidence.outcome import NotOffered, Unmet
from lakepact.conformance.programs.listener import Answer
from lakepact.conformance.programs.scripted_server import Forward, Request, Script
from lakepact.generated.delta_sharing import op

__all__ = [
    "ROWS",
    "Answer",
    "Document",
    "Forward",
    "Members",
    "NotOffered",
    "Performance",
    "Request",
    "Script",
    "SharingClientLab",
    "Unmet",
    "check",
    "expect",
    "op",
    "same_rows",
]
