"""Checks of tables: creating, loading, listing, renaming, registering and dropping them."""
