"""The catalog for event loops. One of the two folders is written by hand, the other derived from
it; see `codegen.sync_twin`.
"""
