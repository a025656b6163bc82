"""Recipients, their tokens and grants."""
