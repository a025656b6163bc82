"""Reports: a run becomes JSON lines; every other format is derived from them."""
