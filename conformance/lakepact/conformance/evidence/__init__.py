"""The evidence of a run: exchanges, outcomes, differences and their limits, with secrets removed
and texts escaped.
"""
