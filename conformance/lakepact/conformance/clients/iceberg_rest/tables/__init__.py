"""Checks of tables that catalog clients load, read and plan."""
