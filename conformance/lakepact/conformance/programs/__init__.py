"""Programs of users that run clients: how they get tasks, and the server between them and the
checked one.
"""
