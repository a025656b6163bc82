# Made by codegen.sync_twin from asynchronous/__init__.py beside this folder. Do not edit: nox -s generate
"""The client for threads. One of the two folders is written by hand, the other derived from it;
see `codegen.sync_twin`.
"""
