"""Fixtures of pytest for projects that use a catalog or shared tables."""
