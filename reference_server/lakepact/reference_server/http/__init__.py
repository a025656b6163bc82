"""HTTP: from the bytes of a request to the handler of an operation, and back."""
