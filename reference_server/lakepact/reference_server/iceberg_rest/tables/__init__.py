"""Tables: their operations, metadata, locations and credentials."""
