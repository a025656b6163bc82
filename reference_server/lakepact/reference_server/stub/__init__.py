"""The server as a stub for tests of clients: it records exchanges, and answers chosen requests as a
script says.
"""
