"""The lab of a check: it sends requests, records verdicts, and blocks what failed steps keep from
being judged.
"""
