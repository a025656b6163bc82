"""Campaigns: the same many cases sent to several targets, kept as tables, judged and compared without another request.

| module       | holds                                                                                    |
|--------------|------------------------------------------------------------------------------------------|
| `cases`      | one request with what has to be there before it, named by what it says                   |
| `generation` | cases from operations, modes and seeds                                                   |
| `tables`     | the columns of all tables, and how they are kept in folders                              |
| `targets`    | who is asked; secrets by the names of environment variables                              |
| `evidence`   | an exchange as a row, secrets left out, and back                                         |
| `execution`  | sends the cases of one lane                                                              |
| `engines`    | where lanes run: processes of this machine, or Spark (`spark`)                           |
| `running`    | chunk after chunk, so that what landed is never sent again                               |
| `judging`    | verdicts and normalised answers, from exchanges alone; `alike` of many, column by column |
| `glances`    | what invariants say of an exchange before they see all of it                                   |
| `analysis`   | what they say together (`findings`), in Python; `sql` says the same in Spark and DuckDB  |
| `itself`     | the row of a run among runs                                                              |
| `report`     | all of that for people                                                                   |
| `replaying`  | one case again, and the least that breaks the same                                       |
| `landing`    | the tables of a run in an Iceberg catalog, or as Delta tables                            |
| `doctor`     | whether Spark can run here, and what to do if not                                        |
"""
