"""Views: their operations and metadata."""
