"""The report of a run: facts from its tables, and two formats."""
