"""Campaigns: the same cases sent to several targets, stored as tables, judged and compared without
further requests.

| module       | holds                                                                                    |
|--------------|------------------------------------------------------------------------------------------|
| `planning`   | cases drawn from operations, modes and seeds, each named by its content                  |
| `tables`     | the columns of all tables, and how they are kept in folders                              |
| `targets`    | the targets; secrets by the names of environment variables                               |
| `execution`  | sends the cases of one worker; an exchange is a row without secrets, and back            |
| `engines`    | run workers: processes of this machine, or Spark (`spark`)                               |
| `runs`       | sends the remaining cases of a plan; stored cases are never sent again                   |
| `judging`    | verdicts and normalised answers from exchanges                                           |
| `analysis`   | coverage, divergences and regressions, in Python, Spark and DuckDB                       |
| `run_metadata` | the row of a run in the table of runs                                                  |
| `reporting`  | the results as pages                                                                     |
| `replay`     | one case again, shrunk to the smallest that still fails                                  |
"""
