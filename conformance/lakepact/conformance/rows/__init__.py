"""A reader of shared tables that shares nothing with the client or the server: lines of an answer in, rows out.

    answer = lines.parsed(reply.lines)
    rows = data_files.rows(answer, fetch)
    comparison.difference(expected, rows)

It knows both response formats, deletion vectors and column mapping. What it cannot read is the target's fault, and said so: `Unmet`.
"""
