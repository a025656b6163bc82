"""`python -m mutants` hunts the mutants."""

from __future__ import annotations

from .hunting import main

main()
