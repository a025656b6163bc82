"""Checks name their objects so that reports, scripts and `lakepact clean` recognise them."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from lakepact.conformance.commands.clean import clean
from lakepact.conformance.evidence.links import Templates
from lakepact.conformance.evidence.object_names import OBJECT, prefix_of
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import contracts


@pytest.mark.parametrize("contract", contracts())
def test_names_begin_with_the_prefix_of_their_run(contract: str) -> None:
    suite, target = suites.load(contract), Target("http://127.0.0.1:9")
    with Wire(target.url) as wire:
        lab = suite.lab(
            wire,
            suite.contract,
            target,
            offer=Offer(frozenset()),
            check="c",
            run="0a1b2c",
            serial=3,
        )
        name = lab.name()

    assert OBJECT.fullmatch(name)
    assert name.startswith(prefix_of("0a1b2c", divider=lab.divider))


def test_clean_refuses_a_prefix_that_no_check_of_the_contract_uses() -> None:
    options = ["http://127.0.0.1:9", "--contract", "watsonx_data", "--prefix", "lp_"]

    assert "names of checks begin with lpx" in CliRunner().invoke(clean, options).output


@pytest.mark.parametrize("divider", ["_", "x"])
def test_scripts_give_names_of_either_kind_a_new_run(divider: str) -> None:
    name = f"lp{divider}0a1b2c{divider}3{divider}1"
    line = {"number": 1, "request": {"url": f"http://t/v1/namespaces/{name}", "body": ""}}
    line["response"] = {"status": 200, "headers": [], "body": ""}

    assert Templates([line], 0).text(name, "text", 1) == name.replace("0a1b2c", "<<run>>")  # type: ignore[list-item]
