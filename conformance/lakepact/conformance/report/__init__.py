"""Reports: a run is written as JSON lines once; every other form is derived from those lines."""
