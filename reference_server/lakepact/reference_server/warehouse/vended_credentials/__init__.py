"""Temporary keys to one directory of an S3 store, which both contracts vend as credentials."""
