"""A run: the suite of a contract, the target, the plan, and the runner."""
