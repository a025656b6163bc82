"""Clients under test: a program of the user's is given tasks against a server that answers as a script says.

What a client has to do is in the registry with all else, as requirements whose side is `client`. A suite of clients (`clients/<contract>`)
is made of checks and invariants as that of servers is; only the bench of its checks is another (`lab`): it starts the program (`program`)
and stands between it and the reference server (`stage`).
"""
