"""Faults of queries that run in the background."""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import fault, on_call, on_lines, on_status
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from mutants.delta_sharing.operators.lines import file_of

CAPABILITIES, KEY, ASYNC = "delta_sharing_capabilities", "idempotencyKey", ";asyncquery=true"


def _with_key(arguments: Arguments, key: str) -> dict[str, Any]:
    return {**arguments, "body": {**(arguments.get("body") or {}), KEY: key}}


def _is_async(arguments: Arguments) -> bool:
    return ASYNC in (arguments.get(CAPABILITIES) or "").lower()


@fault("DS-ASY-02", by=partial(on_call, op.query_table))
def async_queries_need_no_key(handler: Handler, arguments: Arguments) -> Reply:
    missing = _is_async(arguments) and KEY not in (arguments.get("body") or {})
    return handler(**(_with_key(arguments, str(uuid.uuid4())) if missing else arguments))


@fault("DS-ASY-03", by=partial(on_lines, op.query_table), breaks_at="/*/queryStatus/status")
def statuses_are_in_capitals(lines: list[Any]) -> None:
    for line in lines:
        if "queryStatus" in line:
            line["queryStatus"]["status"] = "PENDING"


@fault("DS-ASY-04", by=partial(on_lines, op.get_query_info))
def answers_of_async_queries_lack_a_file(lines: list[Any]) -> list[Any]:
    files = [line for line in lines if file_of(line) is not None]
    return [line for line in lines if line is not files[-1]] if files else lines


@fault("DS-ASY-07", by=partial(on_call, op.query_table))
def equal_keys_begin_queries_again(handler: Handler, arguments: Arguments) -> Reply:
    known = _is_async(arguments) and KEY in (arguments.get("body") or {})
    return handler(**(_with_key(arguments, str(uuid.uuid4())) if known else arguments))


@fault("DS-ASY-08", by=partial(on_call, op.query_table))
def keys_make_queries_async(handler: Handler, arguments: Arguments) -> Reply:
    if KEY not in (arguments.get("body") or {}):
        return handler(**arguments)
    return handler(
        **{
            **arguments,
            CAPABILITIES: (arguments.get(CAPABILITIES) or "").replace("asyncquery=false", "")
            + ASYNC,
        }
    )


FAULTS = {
    "statuses-come-with-the-protocol DS-ASY-03": on_lines(
        op.query_table,
        lambda lines: (
            [{"protocol": {"minReaderVersion": 1}}, *lines] if "queryStatus" in lines[0] else lines
        ),
    ),
    "pages-of-async-queries-are-whole DS-ASY-05": on_call(
        op.get_query_info, lambda handler, arguments: handler(**arguments | {"body": {}})
    ),
    "unknown-async-queries-are-a-failure DS-ASY-06": on_status(op.get_query_info, {404: 500}),
}
