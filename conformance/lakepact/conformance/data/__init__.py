"""Tables of a chosen size and shape whose rows follow from their numbers: written, served through both doors, and read back.

    lakepact data write DIR --rows 1000000 --shape types
    lakepact data verify DIR

What a table holds at each version is computed from the numbers of its rows alone, never from its files, so that whatever is lost, doubled
or changed between the writer, the catalog, the server and a reader is seen.
"""
