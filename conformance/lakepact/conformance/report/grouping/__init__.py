"""The failures of a report that have one cause."""
