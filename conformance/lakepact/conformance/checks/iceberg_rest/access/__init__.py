"""Checks of authentication, rights, tokens and vended credentials."""
