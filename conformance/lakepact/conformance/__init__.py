"""The conformance suite: checks any server or client against a contract, clause by clause, with
evidence.
"""
