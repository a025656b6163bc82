"""Tables: their requests, files and states."""
