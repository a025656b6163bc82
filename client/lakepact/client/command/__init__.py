"""The verbs `lakepact ls`, `show` and `cat`: what a catalog or a sharing server holds, for the eye.

They alone need click, which is in the extras `server` and `conformance`.
"""
