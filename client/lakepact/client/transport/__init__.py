"""Requests to servers and back: connections by httpcore, with the limits of replies, and the
drivers of the engine.
"""
