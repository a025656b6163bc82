"""Cases: drawn from operations and seeds, the same in every process."""
