"""`python -m lakepact.reference_server` is `lakepact serve`."""

from lakepact.reference_server.cli import serve

serve()
