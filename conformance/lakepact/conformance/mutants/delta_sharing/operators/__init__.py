"""What several faults of this contract are made from."""
