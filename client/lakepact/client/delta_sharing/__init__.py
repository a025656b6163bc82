"""The client of the Delta Sharing contract."""
