"""The verbs of the command that check servers and describe requirements."""
