"""Shared parts of checks: the lab, requests, lines of answers, and the shared tables to read."""
