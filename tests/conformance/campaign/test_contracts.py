"""One campaign over all contracts: each case goes to the targets of its contract, and equal servers
answer alike.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from campaigns import Here, exchanges, ran, said
from faulty import mutants
from lakepact.conformance.campaign import plans, run_metadata, run_verdicts, tables
from lakepact.conformance.running import suite as suites
from lakepact.reference_server.running import running as serving

CONTRACTS = ("iceberg_rest", "delta_sharing", "watsonx_data")
SENT = (
    "createNamespace",
    "updateTable",
    "listTables",
    "loadTable",
    "queryTable",
    "listShares",
    "getTableVersion",
)


@contextlib.contextmanager
def two_of_each(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Start two servers of each contract and yield them as options."""
    with contextlib.ExitStack() as stack:
        options = []
        for contract in CONTRACTS:
            (folder / contract).mkdir()
            home = suites.load(contract).launch_settings(folder / contract)
            for n in range(2):
                server = stack.enter_context(
                    serving(contract=contract, **{"warehouse": "memory:", **home.settings})
                )
                target = home.target(server.url)
                profile = f'url = "{target.url}"\ncontract = "{contract}"\n'
                for value in target.headers.values():
                    monkeypatch.setenv(f"TOKEN_{contract}", value.rpartition(" ")[2])
                    profile += f'token_env = "TOKEN_{contract}"\n'
                profile += "[parameters]\n" + "".join(
                    f"{name} = {json.dumps(value)}\n" for name, value in target.parameters.items()
                )
                (folder / f"{contract}{n}.toml").write_text(profile, encoding="utf-8")
                options.append(f"{contract}{n}={folder / f'{contract}{n}.toml'}")
        yield options


def test_run_with_all_contracts_sends_each_case_to_its_targets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans.plan(
        CONTRACTS, tmp_path / "plan", modes=("example", "near", "reading", "sequence"), only=SENT
    )
    with two_of_each(tmp_path, monkeypatch) as options:
        run = ran(tmp_path / "plan", tmp_path / "run", Here(), *options)
    cases = tables.read(run / "cases", tables.CASES).to_pylist()
    pairs = {(row["target"], row["case_id"]) for row in exchanges(run)}
    verdicts = said(run, Here())

    assert run_metadata.row_of(run)["complete"]
    assert {
        (f"{case['contract']}{n}", case["case_id"]) for case in cases for n in range(2)
    } == pairs
    assert [row for row in verdicts["results"] if row["verdict"] != "pass"] == []
    assert run_verdicts.analyse(run, Here())["divergences"] == []


def test_checks_in_a_campaign_fail_only_on_the_faulty_server(tmp_path: Path) -> None:
    plans.plan(
        "iceberg_rest",
        tmp_path / "plan",
        modes=("check",),
        only=("namespaces.drop.*", "IRC-GEN-006"),
    )
    with (
        serving(warehouse="memory:") as good,
        serving(warehouse="memory:", faults=mutants(["drops-what-has-children"])) as bad,
    ):
        run = ran(tmp_path / "plan", tmp_path / "run", Here(), f"good={good.url}", f"bad={bad.url}")
    failures = {
        (row["target"], row["requirement_id"])
        for row in said(run, Here())["results"]
        if row["verdict"] != "pass"
    }

    assert failures == {("bad", "IRC-NS-DROP-005")}
