"""Everyday tasks of catalog clients: performed on a server, and compared with a server without a
fault.
"""
