"""Reports: a run is written as JSON lines once; every other form is a reading of those lines."""
