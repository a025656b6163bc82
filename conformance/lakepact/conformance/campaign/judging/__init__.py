"""Verdicts about kept exchanges; nothing is sent."""
