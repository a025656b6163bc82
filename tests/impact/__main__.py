"""`python -m impact` measures what broken requirements do to clients."""

from __future__ import annotations

from impact.session import main

main()
