"""Mutants of authentication, rights, tokens and credentials."""
