"""Keys to one directory of an S3 store, for a while: what both contracts hand out as credentials,
and where it comes from.
"""
