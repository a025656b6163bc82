"""A plan is the same on every machine and leaves open the values that a target chooses."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns import few_cases
from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.planning.cases import case_of, read, row_of, text_of, to_json
from lakepact.conformance.campaign.planning.generation import (
    EFFECT,
    FOLLOWED,
    GENERATOR,
    MODES,
    blocks,
    drawn,
)
from lakepact.conformance.campaign.planning.seeds import NUMBERS, Wanted
from lakepact.conformance.campaign.planning.sequences import STEPS
from lakepact.conformance.campaign.plans import Taken, plan
from lakepact.conformance.fuzz.bodies import Bodies
from lakepact.conformance.fuzz.steps import Learned, Step
from lakepact.generated.contract import Contract

#: The number of the generator, and a hash of the bodies that it draws.
GOLDEN = (1, "92a119a4ab610d75")

THREE = ("iceberg_rest", "delta_sharing", "watsonx_data")
DRAWN: dict[str, Any] = {
    "modes": ("valid", "wild", "near", "sequence"),
    "only": ("updateProperties", "createNamespace"),
}

values_of_the_target = st.builds(
    Learned,
    st.tuples(st.text(), st.tuples(st.just(Learned(("root",), "root")), st.integers())),
    st.text(),
    st.text(),
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | values_of_the_target,
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text() | st.just("$bytes"), inner)
        | st.tuples(inner, inner)
    ),
)


def rows_of_plan(
    contract: str,
    *,
    seeds: Sequence[int] = (0,),
    modes: Sequence[str],
    only: Sequence[str] = ("*",),
) -> list[dict[str, Any]]:
    return [
        row for rows in drawn(blocks(contract, seeds=seeds, modes=modes, only=only)) for row in rows
    ]


@given(values)
def test_request_value_survives_writing_and_reading(value: Any) -> None:
    assert value == read(json.loads(text_of(value)))


@given(values)
def test_spelling_of_a_value_is_stable(value: Any) -> None:
    assert text_of(value) == text_of(read(json.loads(json.dumps(to_json(value)))))


def test_case_id_depends_on_the_content_and_not_on_the_mode() -> None:
    contract = Contract("iceberg_rest")
    row = rows_of_plan("iceberg_rest", seeds=[0], modes=["example"], only=["updateProperties"])[0]
    case = case_of(row)
    again = row_of(type(case)(case.contract, "wild", 9, case.setup, case.steps), contract, "a")
    other = row_of(
        type(case)(
            case.contract,
            "wild",
            9,
            case.setup,
            (Step("updateProperties", case.steps[0].arguments, {}),),
        ),
        contract,
        "a",
    )

    assert row_of(case, contract, "a")["case_id"] == again["case_id"] != other["case_id"]


def test_drawn_bodies_equal_the_golden_hash() -> None:
    bodies = Bodies(Contract("iceberg_rest"))
    operations = ("createNamespace", "renameTable", "updateProperties")
    texts = [
        text_of(bodies.draw(operation, Random(n), valid=n % 2 == 0).body)
        for operation in operations
        for n in range(100)
    ]

    assert (GENERATOR, hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]) == GOLDEN


def test_process_with_other_modules_draws_the_same_cases() -> None:
    script = f"""
import sys
sys.path.insert(0, "tests")
import sample_tables.table_documents, miniatures, lakepact.reference_server.app
from lakepact.conformance.campaign.planning.generation import blocks, drawn
found = drawn(blocks("iceberg_rest", seeds=(3,), **{DRAWN}))
print([row["case_id"] for rows in found for row in rows])
"""
    output = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    ).stdout

    assert output.strip() == str(
        [
            row["case_id"]
            for row in rows_of_plan("iceberg_rest", seeds=range(4), **DRAWN)
            if row["seed"] == 3
        ]
    )


def test_plan_holds_each_case_once_without_values_of_a_target(tmp_path: Path) -> None:
    rows = tables.read(few_cases(tmp_path / "plan") / "cases", tables.CASES).to_pylist()
    texts = [row["setup"] + row["request"] for row in rows]

    assert len(rows) == len({row["case_id"] for row in rows})
    assert len(rows) == len({row["number"] for row in rows})
    assert not [text for text in texts if "lp_" in text or "plan.invalid" in text]
    assert [text for text in texts if "$learned" in text]


def test_plan_of_all_modes_draws_requests_that_reads_follow_once() -> None:
    only = ("createNamespace",)
    plain, with_reads = (
        rows_of_plan("iceberg_rest", modes=modes, only=only) for modes in (FOLLOWED, [EFFECT])
    )
    ids = {row["case_id"] for row in rows_of_plan("iceberg_rest", modes=MODES, only=only)}

    assert ids >= {row["case_id"] for row in with_reads}
    assert ids.isdisjoint(row["case_id"] for row in plain)


def test_existing_plan_is_not_overwritten(tmp_path: Path) -> None:
    few_cases(tmp_path / "plan")

    with pytest.raises(Taken, match="holds a plan already"):
        few_cases(tmp_path / "plan")


def test_plan_of_several_contracts_names_the_contract_of_each_case(tmp_path: Path) -> None:
    modes = ("example", "reading", "sequence", "check")
    summary = plan(
        THREE,
        tmp_path / "plan",
        modes=modes,
        only=("listNamespaces", "loadTable", "listShares", "queryTable"),
    )
    rows = tables.read(tmp_path / "plan" / "cases", tables.CASES).to_pylist()

    assert {(contract, mode) for contract in THREE for mode in modes} == {
        (row["contract"], row["mode"]) for row in rows
    }
    assert summary["cases_by_contract"] == Counter(row["contract"] for row in rows)


def test_shared_tables_are_planned_as_placeholders() -> None:
    rows = rows_of_plan(
        "delta_sharing",
        seeds=[0],
        modes=["example", "sequence"],
        only=["queryTable", "queryTableChanges"],
    )

    assert all('"any"' in row["request"] or '"changing"' in row["request"] for row in rows)


def test_sequence_is_one_case_of_many_steps() -> None:
    rows = rows_of_plan("iceberg_rest", seeds=[0, 1], modes=["sequence"])

    assert len(rows) == 4
    assert {len(case_of(row).steps) for row in rows} == {STEPS}
    assert rows == rows_of_plan("iceberg_rest", seeds=[0, 1], modes=["sequence"])


def test_check_is_a_case_with_its_name() -> None:
    (row,) = rows_of_plan(
        "iceberg_rest",
        seeds=[0, 1],
        modes=["check"],
        only=["namespaces.drop.namespaces_with_tables_are_not_dropped"],
    )

    assert (row["request"], row["operation_id"], row["mode"]) == (
        *["namespaces.drop.namespaces_with_tables_are_not_dropped"] * 2,
        "check",
    )


def test_most_cases_of_a_seed_have_numbers_below_those_of_the_next() -> None:
    request = Wanted(THREE, [5], MODES, per_seed=1, only=("*",))
    first = {
        number // NUMBERS
        for place in request.places
        for rows in request.rows([place])
        for number in (rows and [rows[-1]["number"]])
    }

    assert first == set(request.places)


def test_blocks_drawn_in_any_order_give_the_same_cases() -> None:
    some = blocks("iceberg_rest", seeds=range(2), **DRAWN)
    backwards = list(drawn(reversed(some)))

    assert list(drawn(some)) == backwards[::-1]
