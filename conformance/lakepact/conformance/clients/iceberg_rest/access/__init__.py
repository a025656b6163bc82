"""Checks of tokens, credentials and signed requests of catalog clients."""
