"""Stores: what a catalog knows, in memory or in a file that loses nothing acknowledged."""
