"""Warehouses: where tables keep their files, and the credentials that open them."""
