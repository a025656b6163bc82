"""A reader of shared tables that shares no code with the client or the server: lines of an answer
in, rows out.

    answer = lines.parsed(reply.lines)
    rows = data_files.rows(answer, fetch)
    comparison.difference(expected, rows)

It supports both response formats, deletion vectors and column mapping. Unreadable data raises
`Unmet`.
"""
