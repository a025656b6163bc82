"""Checks of requests, answers and configuration of catalog clients."""
