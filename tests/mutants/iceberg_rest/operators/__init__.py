"""Ways in which the catalog goes wrong, by what they act on; the faults are made from them."""
