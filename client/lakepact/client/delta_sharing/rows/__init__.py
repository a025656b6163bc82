"""From data files to rows. These modules need `pyarrow`; nothing loads them before rows are asked
for.
"""
