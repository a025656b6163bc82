"""The tables that analysis makes of verdicts and answers; all of them can be made again."""

from __future__ import annotations

from lakepact.conformance.campaign.tables import NUMBER, TEXT, WHOLE, schema_of
from lakepact.conformance.evidence.arrow import pa

TEXTS = pa.list_(TEXT)

#: Verdicts, the worst first, with the column that counts them.
VERDICTS = {
    "fail": "failed",
    "warn": "warned",
    "error": "errors",
    "inconclusive": "inconclusive",
    "pass": "passed",
}
ORDER = {verdict: place for place, verdict in enumerate(VERDICTS)}
BAD = ("fail", "warn")
#: Each class is looked at where all before it agree; headers always.
FINER = ("status", "error_type", "body")
KINDS = (*FINER, "header")
QUANTILES = {"p50_us": 0.5, "p95_us": 0.95, "p99_us": 0.99}

COVERAGE = schema_of(
    target=TEXT,
    contract=TEXT,
    requirement_id=TEXT,
    level=TEXT,
    verdict=TEXT,  # the worst
    passed=WHOLE,
    failed=WHOLE,
    warned=WHOLE,
    errors=WHOLE,
    inconclusive=WHOLE,
    cases=WHOLE,
    operations=TEXTS,
    modes=TEXTS,
    first_case_id=TEXT,  # that shows the verdict
)
DIVERGENCES = schema_of(
    contract=TEXT,
    case_id=TEXT,
    step=NUMBER,
    operation_id=TEXT,
    mode=TEXT,
    kind=TEXT,
    groups=WHOLE,
    observations=TEXT,  # an object of JSON: what each target's answer is in this class
    requirement_ids=TEXTS,  # that a target breaks in this exchange: what may explain it
)
REGRESSIONS = schema_of(
    target=TEXT,
    contract=TEXT,
    case_id=TEXT,
    requirement_id=TEXT,
    kind=TEXT,
    before=TEXT,
    after=TEXT,
)
OUTCOMES = schema_of(
    target=TEXT,
    contract=TEXT,
    operation_id=TEXT,
    mode=TEXT,
    state=TEXT,
    status=TEXT,
    exchanges=WHOLE,
)
#: Only of what was sent with nothing else on its way: else it would be the waiting that is
#: measured.
LATENCIES = schema_of(
    target=TEXT,
    contract=TEXT,
    operation_id=TEXT,
    exchanges=WHOLE,
    **dict.fromkeys(QUANTILES, WHOLE),
)
TABLES = {
    "coverage": COVERAGE,
    "divergences": DIVERGENCES,
    "regressions": REGRESSIONS,
    "outcomes": OUTCOMES,
    "latencies": LATENCIES,
}
