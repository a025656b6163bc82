"""The analysis in SQL that Spark and DuckDB both speak, but for three fragments, over these views.

| view        | holds                                                         |
|-------------|---------------------------------------------------------------|
| `results`   | verdicts of the run                                           |
| `base`      | verdicts of an earlier run, or nothing                        |
| `answers`   | normalised answers of the run                                 |
| `exchanges` | requests with their answers and times                         |
| `quiet`     | words of the starts that had one request on its way at a time |
"""

# ruff: noqa: S608 - nothing in the queries comes from outside

from __future__ import annotations

from dataclasses import dataclass

from lakepact.conformance.campaign.analysis.findings import (
    BAD,
    FINER,
    KINDS,
    ORDER,
    QUANTILES,
    VERDICTS,
)

WORD_DIGITS = 6  #: of the word of a start; what follows says which target


@dataclass(frozen=True)
class Dialect:
    """The SQL fragments that differ between engines.

    Args:
        number_of: the number of distinct values of a column of identifiers.
        set_of: all distinct values of a column, in order.
        object_of: values by target, as JSON.
    """

    number_of: str
    set_of: str
    object_of: str


SPARK = Dialect(
    number_of="count(DISTINCT {})",
    set_of="sort_array(collect_set({}))",
    object_of="to_json(map_from_entries(sort_array(collect_list(struct(target, {})))))",
)
DUCKDB = Dialect(
    # 64 bits: a third sooner than whole texts, and one too few among 10⁹ cases in 36 runs
    number_of="count(DISTINCT hash({}))",
    set_of="list_sort(list(DISTINCT {0}) FILTER ({0} IS NOT NULL))",
    object_of=(
        "CAST(to_json(map_from_entries(list(struct_pack(k := target, v := {}) ORDER BY target))) AS"
        " VARCHAR)"
    ),
)

_PLACE = (
    "CASE verdict "
    + " ".join(f"WHEN '{verdict}' THEN {place}" for verdict, place in ORDER.items())
    + " END"
)
_NAMED = (
    "CASE {} "
    + " ".join(f"WHEN {place} THEN '{verdict}'" for verdict, place in ORDER.items())
    + " END"
)
_BAD = ", ".join(f"'{verdict}'" for verdict in BAD)

_COUNTS = ", ".join(
    f"count_if(verdict = '{verdict}') AS {column}" for verdict, column in VERDICTS.items()
)


def _coverage(dialect: Dialect) -> str:
    return f"""
        WITH judged AS (
            SELECT target, contract, requirement_id, min(level) AS level, min({_PLACE}) AS worst, {_COUNTS},
                   {dialect.set_of.format("operation_id")} AS operations, {dialect.set_of.format("mode")} AS modes
            FROM results GROUP BY target, contract, requirement_id
        ), by_verdict AS (
            SELECT target, contract, requirement_id, {_PLACE} AS worst, min(case_id) AS first_case_id
            FROM results GROUP BY target, contract, requirement_id, verdict
        ), by_case AS (
            SELECT target, contract, requirement_id, {dialect.number_of.format("case_id")} AS cases
            FROM results GROUP BY target, contract, requirement_id
        )
        SELECT judged.*, {_NAMED.format("worst")} AS verdict, cases, first_case_id
        FROM judged JOIN by_verdict USING (target, contract, requirement_id, worst) JOIN by_case USING (target, contract, requirement_id)
        ORDER BY target, contract, requirement_id
    """


_DIFFER = ", ".join(f"min({kind}) <> max({kind}) AS {kind}_differs" for kind in KINDS)
_COARSEST = " ".join(f"WHEN {kind}_differs THEN '{kind}'" for kind in FINER)
_SEEN = "CASE kind " + " ".join(f"WHEN '{kind}' THEN {kind}" for kind in KINDS) + " END"


# A check goes on by what it was answered: its requests to two targets are not the same.
_COMPARED = "state IN ('answered', 'broken') AND mode <> 'check'"


def _divergences(dialect: Dialect) -> str:
    return f"""
        WITH given AS (
            SELECT case_id, step, {_DIFFER} FROM answers WHERE {_COMPARED} GROUP BY case_id, step
        ), differing AS (
            SELECT case_id, step, CASE {_COARSEST} END AS kind FROM given WHERE {" OR ".join(f"{kind}_differs" for kind in FINER)}
            UNION ALL SELECT case_id, step, 'header' AS kind FROM given WHERE header_differs
        ), observed AS (
            SELECT answers.*, kind FROM answers JOIN differing USING (case_id, step) WHERE {_COMPARED}
        ), found AS (
            SELECT min(contract) AS contract, case_id, step, min(operation_id) AS operation_id, min(mode) AS mode, kind,
                   count(DISTINCT {_SEEN}) AS groups, {dialect.object_of.format(_SEEN)} AS observations
            FROM observed GROUP BY case_id, step, kind
        ), breaking AS (
            SELECT case_id, step, {dialect.set_of.format("requirement_id")} AS requirement_ids
            FROM results WHERE verdict IN ({_BAD}) GROUP BY case_id, step
        )
        SELECT found.*, requirement_ids FROM found LEFT JOIN breaking USING (case_id, step) ORDER BY case_id, step, kind
    """


_WORST = f"""
    SELECT target, contract, case_id, requirement_id, min({_PLACE}) AS worst
    FROM {{}} JOIN broken USING (target, contract, case_id, requirement_id) GROUP BY target, contract, case_id, requirement_id
"""
_BROKEN = f"SELECT target, contract, case_id, requirement_id FROM {{}} WHERE verdict IN ({_BAD})"
_IS_JUDGED = "verdict NOT IN ('error', 'inconclusive')"
_IS_BAD = f"IN ({', '.join(str(ORDER[verdict]) for verdict in BAD)})"
# Only what is broken in one of the runs can have changed: all else is left out before it is
# grouped.
_REGRESSIONS = f"""
    WITH broken AS ({_BROKEN.format("results")} UNION {_BROKEN.format("base")}),
         old AS ({_WORST.format("base")}), new AS ({_WORST.format("results")}), changed AS (
        SELECT target, contract, case_id, requirement_id,
               CASE WHEN old.worst = {ORDER["pass"]} THEN 'regression' ELSE 'mended' END AS kind,
               {_NAMED.format("old.worst")} AS before, {_NAMED.format("new.worst")} AS after
        FROM old JOIN new USING (target, contract, case_id, requirement_id)
        WHERE (old.worst = {ORDER["pass"]} AND new.worst {_IS_BAD})
           OR (old.worst {_IS_BAD} AND new.worst = {ORDER["pass"]})
    ), sent AS (
        SELECT DISTINCT target, contract, case_id FROM answers
    ), judged AS (
        SELECT DISTINCT target, contract, requirement_id FROM results WHERE {_IS_JUDGED}
    ), lost AS (
        SELECT target, contract, min(case_id) AS case_id, requirement_id, 'lost' AS kind,
               {_NAMED.format(f"min({_PLACE})")} AS before, 'inconclusive' AS after
        FROM base JOIN sent USING (target, contract, case_id)
        LEFT JOIN judged USING (target, contract, requirement_id)
        WHERE {_IS_JUDGED} AND judged.requirement_id IS NULL
        GROUP BY target, contract, requirement_id
    )
    SELECT * FROM changed UNION ALL SELECT * FROM lost
    ORDER BY target, contract, case_id, requirement_id
"""

_OUTCOMES = """
    SELECT target, contract, operation_id, mode, state, status, count(*) AS exchanges
    FROM answers GROUP BY target, contract, operation_id, mode, state, status ORDER BY target, contract, operation_id, mode, state, status
"""

_QUANTILES = ", ".join(
    f"percentile_disc({part}) WITHIN GROUP (ORDER BY latency_us) AS {name}"
    for name, part in QUANTILES.items()
)
_LATENCIES = f"""
    SELECT target, contract, operation_id, count(*) AS exchanges, {_QUANTILES}
    FROM exchanges JOIN quiet ON substr(exchanges.word, 1, {WORD_DIGITS}) = quiet.word
    WHERE state = 'answered' GROUP BY target, contract, operation_id ORDER BY target, contract, operation_id
"""


def queries(dialect: Dialect) -> dict[str, str]:
    """Return the query of each table of `findings`."""
    return {
        "coverage": _coverage(dialect),
        "divergences": _divergences(dialect),
        "regressions": _REGRESSIONS,
        "outcomes": _OUTCOMES,
        "latencies": _LATENCIES,
    }
