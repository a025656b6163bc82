"""Campaigns: the same cases sent to several targets, stored as tables, judged and compared without further requests.

| module       | holds                                                                                    |
|--------------|------------------------------------------------------------------------------------------|
| `cases`      | one request with its setup, named by its content                                         |
| `generation` | cases from operations, modes and seeds; `seeds` numbers them                             |
| `tables`     | the columns of all tables, and how they are kept in folders                              |
| `targets`    | the targets; secrets by the names of environment variables                               |
| `evidence`   | an exchange as a row without secrets, and back                                           |
| `execution`  | sends the cases of one worker                                                            |
| `engines`    | run workers: processes of this machine, or Spark (`spark`)                               |
| `runs`       | what is left of a plan is sent; stored cases are never sent again                        |
| `judging`    | verdicts and normalised answers from exchanges; `canonical_form` groups equal ones       |
| `partial_exchanges` | verdicts of invariants from parts of an exchange                                  |
| `analysis`   | combines them (`findings`), in Python; `sql` does the same in Spark and DuckDB           |
| `run_metadata` | the row of a run in the table of runs                                                  |
| `report`     | the results as pages                                                                     |
| `replaying`  | one case again, shrunk to the smallest that still fails                                  |
| `landing`    | the tables of a run in an Iceberg catalog, or as Delta tables                            |
| `doctor`     | whether Spark can run here, and what to install                                          |
"""
