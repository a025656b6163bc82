"""The analysis in Spark SQL, over the views `results`, `answers` and `base` (the results of an earlier run, or nothing)."""

from __future__ import annotations

from lakepact.conformance.campaign.analysis import FINER, VERDICTS

_PLACES = ", ".join(f"'{verdict}'" for verdict in VERDICTS)
_PLACE = f"array_position(array({_PLACES}), verdict)"  #: of a verdict, the worst having 1
_COUNTS = ", ".join(f"count_if(verdict = '{verdict}') AS {column}" for verdict, column in VERDICTS.items())

COVERAGE = f"""
    SELECT target, requirement_id, min(level) AS level, element_at(array({_PLACES}), CAST(min({_PLACE}) AS INT)) AS verdict,
           {_COUNTS}, count(DISTINCT case_id) AS cases, min(struct({_PLACE} AS place, case_id)).case_id AS first_case_id
    FROM results GROUP BY target, requirement_id ORDER BY target, requirement_id
"""  # noqa: S608 - nothing in it comes from outside

_SETS = ", ".join(f"size(collect_set({kind})) AS {kind}_groups" for kind in (*FINER, "header"))
_COARSEST = " ".join(f"WHEN {kind}_groups > 1 THEN '{kind}'" for kind in FINER)
_SEEN = " ".join(f"WHEN '{kind}' THEN one.{kind}" for kind in (*FINER, "header"))
_GROUPS = " ".join(f"WHEN '{kind}' THEN {kind}_groups" for kind in (*FINER, "header"))

DIVERGENCES = f"""
    WITH given AS (
        SELECT case_id, step, min(operation_id) AS operation_id, min(mode) AS mode, {_SETS},
               sort_array(collect_list(struct(target, {", ".join((*FINER, "header"))}))) AS all
        FROM answers WHERE state = 'answered' AND mode <> 'check' GROUP BY case_id, step
    ), differing AS (
        SELECT *, explode(filter(array(CASE {_COARSEST} END, CASE WHEN header_groups > 1 THEN 'header' END), k -> k IS NOT NULL)) AS kind
        FROM given
    )
    SELECT case_id, step, operation_id, mode, kind, CAST(CASE kind {_GROUPS} END AS BIGINT) AS groups,
           to_json(map_from_entries(transform(all, one -> struct(one.target, CASE kind {_SEEN} END)))) AS observations
    FROM differing ORDER BY case_id, step, kind
"""  # noqa: S608 - nothing in it comes from outside

_WORST = f"""
    SELECT target, case_id, requirement_id, element_at(array({_PLACES}), CAST(min({_PLACE}) AS INT)) AS verdict
    FROM {{}} GROUP BY target, case_id, requirement_id
"""  # noqa: S608 - nothing in it comes from outside

REGRESSIONS = f"""
    WITH old AS ({_WORST.format("base")}), new AS ({_WORST.format("results")})
    SELECT target, case_id, requirement_id,
           CASE WHEN old.verdict = 'pass' THEN 'regression' ELSE 'mended' END AS kind, old.verdict AS before, new.verdict AS after
    FROM old JOIN new USING (target, case_id, requirement_id)
    WHERE (old.verdict = 'pass' AND new.verdict IN ('fail', 'warn')) OR (old.verdict IN ('fail', 'warn') AND new.verdict = 'pass')
    ORDER BY target, case_id, requirement_id
"""  # noqa: S608 - nothing in it comes from outside

QUERIES = {"coverage": COVERAGE, "divergences": DIVERGENCES, "regressions": REGRESSIONS}
