"""Clients under test: the user's program performs tasks against a scripted server.

The tasks of a client are requirements in the registry whose side is `client`. A suite of clients
(`clients/<contract>`) consists of checks and invariants like that of servers; only its lab differs
(`lab`): it starts the program (`programs/program.py`) and forwards its requests to the reference
server (`programs/scripted_server.py`).
"""
