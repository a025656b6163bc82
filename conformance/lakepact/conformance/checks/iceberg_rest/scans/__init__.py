"""Checks of scan planning by the server."""
