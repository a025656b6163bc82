"""Building blocks of checks of catalog clients: the lab, scripts and tables."""
