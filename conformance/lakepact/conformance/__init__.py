"""The conformance suite: judges any server against a contract, clause by clause, with evidence."""
