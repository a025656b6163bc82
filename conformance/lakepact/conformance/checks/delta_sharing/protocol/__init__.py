"""Checks of what every operation has in common: capabilities, errors, paging, names and
transport.
"""
