"""Expectations of checks of clients: no single answer of a server shows what a client sent, printed and left."""

from __future__ import annotations

from functools import partial

from lakepact.conformance.judging import expect

equal = partial(expect.equal, at=None)
true = partial(expect.true, at=None)
shown = expect.shown
