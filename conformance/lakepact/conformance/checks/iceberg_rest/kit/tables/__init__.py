"""Tables: their requests, files, manifests and states."""
