"""Tables of a chosen size and shape whose rows follow from their numbers: written, served by both
protocols, and read back.

    lakepact data write DIR --rows 1000000 --shape types
    lakepact data verify DIR

The content of a table at each version is computed from row numbers, never from files, so that rows
lost, doubled or changed between writer, catalog, server and reader are detected.
"""
