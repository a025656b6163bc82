"""What version 1.11.0 of the contract demands beyond 1.10.0."""
