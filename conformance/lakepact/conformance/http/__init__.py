"""Raw HTTP: exact requests over kept connections."""
