"""An Idempotency-Key is one of the principal that sends it: nobody is given the answer of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .conftest import SCHEMA, fill, guarded

if TYPE_CHECKING:
    from pathlib import Path

KEY, OTHER = "01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a8058"


def test_the_answer_to_a_key_is_for_who_sent_it(tmp_path: Path) -> None:
    with guarded(tmp_path, contract_version="1.11.0") as (_, bearing):
        root, writer = bearing("root-token"), bearing("writer-token")
        fill(root, "open", "closed")
        made = [root("POST", "/v1/namespaces/closed/tables", {"name": "t", "schema": SCHEMA}, idempotency_key=KEY) for _ in range(2)]
        root("POST", "/v1/namespaces/closed/tables", {"name": "u", "schema": SCHEMA}, idempotency_key=OTHER)
        others = writer("POST", "/v1/namespaces/closed/tables", {"name": "t", "schema": SCHEMA}, idempotency_key=KEY)
        own = writer("POST", "/v1/namespaces/open/tables", {"name": "t", "schema": SCHEMA}, idempotency_key=OTHER)

    assert [answer.status for answer in (*made, others, own)] == [200, 200, 404, 200]
    assert made[0].body == made[1].body
