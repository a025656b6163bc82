"""Checks of what every operation has in common: configuration, errors, paging, paths and
transport.
"""
