"""Checks of the requirements that version 2026-08 adds to 2026-02."""
