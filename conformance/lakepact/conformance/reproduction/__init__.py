"""Scripts that repeat one finding of a report on a fresh server."""
