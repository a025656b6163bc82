"""The suite of a profile: inherited checks limited to the demanded requirements, and unusual
servers.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from faulty import mutants, unnamed
from faulty_servers import checked, outcomes_of, refuses
from lakepact.conformance.checks.watsonx_data.lab import (
    WatsonxLab,
    bearer_token,
    user_and_key,
    zen_api_key,
)
from lakepact.conformance.commands.check import check as command
from lakepact.conformance.commands.probe import probe
from lakepact.conformance.evidence.outcome import NotOffered, Outcome
from lakepact.conformance.evidence.redaction import secrets_of
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.judging import expect
from lakepact.conformance.judging.lab import Lab
from lakepact.conformance.running import plan
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import Contract
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import running
from lakepact.reference_server.faults import Fault, Install, on_answer, replace_rule
from miniatures import answer, miniature
from mutants import faults
from mutants.hunting import served

DEMANDED, DROPPED = (
    "IRC-CFG-002",
    "IRC-CFG-001",
)  #: Iceberg requirements that watsonx.data keeps and drops
WATSONX = Contract("watsonx_data")


def offer(*_: object) -> Offer:
    return Offer(operations=frozenset(WATSONX.operations), segments={"prefix": "c"})


def two_suites() -> tuple[Suite[Lab], Suite[Lab]]:
    """Return a suite of the contract and an empty suite of its profile."""
    return Suite("iceberg_rest", lab=Lab, discover=offer), Suite(
        "watsonx_data", lab=Lab, discover=offer
    )


def outcomes(suite: Suite[Any]) -> dict[str, Outcome]:
    with miniature(lambda *_: answer(200, {})) as url:
        return outcomes_of(checked(url, of=suite))


def test_inherited_check_reports_only_demanded_requirements() -> None:
    other, own = two_suites()

    @other.check(DEMANDED, DROPPED)
    def expects_two_statuses(lab: Lab) -> None:
        """The configuration returns two statuses."""
        reply = lab.send("getConfig")
        with lab.judge(DROPPED):
            expect.status(reply, 418)
        lab.note(DROPPED, "x")
        lab.warn(DROPPED, expected="x", actual="y")
        with lab.judge(DEMANDED):
            expect.status(reply, 200)

    own.inherit(other)

    assert outcomes(own) == {DEMANDED: Outcome.PASS}
    assert outcomes(other) == {DEMANDED: Outcome.PASS, DROPPED: Outcome.FAIL}


def test_check_without_demanded_requirements_is_not_inherited() -> None:
    other, own = two_suites()

    @other.check(DROPPED)
    def is_dropped(lab: Lab) -> None:
        """Nothing is judged."""
        lab.note(DROPPED, "x")

    own.inherit(other)

    assert own.checks == {}


def test_inherited_invariant_covers_only_demanded_requirements() -> None:
    other, own = two_suites()
    other.invariant(DEMANDED, DROPPED)(always_holds)

    own.inherit(other)

    assert [invariant.requirements for invariant in own.invariants.values()] == [(DEMANDED,)]


def always_holds(_: Any) -> bool:
    """Every answer passes."""
    return True


def test_operation_outside_the_profile_is_not_offered() -> None:
    other, own = two_suites()

    @other.check(DEMANDED)
    def asks_for_a_plan(lab: Lab) -> None:
        """A scan is planned."""
        with pytest.raises(NotOffered, match="watsonx_data has no operation planTableScan"):
            lab.send("planTableScan", declared=False, namespace="n", table="t", body={})
        lab.note(DEMANDED, "x")

    own.inherit(other)

    assert outcomes(own) == {DEMANDED: Outcome.PASS}


def test_profile_suite_judges_inherited_and_own_requirements() -> None:
    inherited = {r for r in suites.load("iceberg_rest").judges() if r in WATSONX.requirements}
    own = {r for r in WATSONX.requirements if r.startswith("WXD-")}

    assert set(suites.load("watsonx_data").judges()) >= inherited | own


def test_profile_has_inherited_and_own_faults() -> None:
    own, others = faults("watsonx_data"), faults("iceberg_rest")
    inherited: dict[str, Fault] = {name: fault for name, fault in own.items() if name in others}

    assert [
        name
        for name, fault in inherited.items()
        if not set(fault.breaks) <= WATSONX.requirements.keys()
    ] == []
    assert own["drops-what-holds-tables"].breaks == ("IRC-NS-DROP-008", "WXD-NS-006")
    assert "drops-what-has-children" not in own
    assert "any-api-key" in own.keys() - others.keys()


@pytest.mark.parametrize("scheme", ["ZenApiKey", "zenapikey"])
def test_api_key_is_read_from_the_authorization_header(scheme: str) -> None:
    header = zen_api_key("hank:key").replace("ZenApiKey", scheme)

    assert user_and_key(Target("http://x", headers={"authorization": header})) == "hank:key"
    assert bearer_token(Target("http://x", headers={"Authorization": header})) == ""


def test_credentials_are_read_from_named_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_OF_HANK", "hank:key")
    monkeypatch.setenv("TOKEN", "abc")
    target = Target(
        "http://x", parameters={"api-key-env": "KEY_OF_HANK", "bearer-token-env": "TOKEN"}
    )

    assert (user_and_key(target), bearer_token(target)) == ("hank:key", "abc")


def test_api_key_is_secret_in_every_form() -> None:
    header = zen_api_key("hank:planted-key")

    assert {header, header.partition(" ")[2], "hank:planted-key", "planted-key"} <= set(
        secrets_of([("Authorization", header)])
    )
    assert secrets_of([("Authorization", "ZenApiKey")]) == ()


@pytest.mark.parametrize("stem", ["", "a_b", "żółć"])
def test_names_hold_only_letters_and_digits(stem: str) -> None:
    lab = WatsonxLab(
        None, WATSONX, Target("http://x"), offer=offer(), check="c", run="1b6087", serial=12
    )  # type: ignore[arg-type]

    assert lab.name(stem).isascii()
    assert lab.name(stem).isalnum()


@pytest.mark.nightly
def test_allowed_quirks_fail_nothing() -> None:
    quirks = ("namespaces-by-the-pattern", "tables-by-the-pattern", "config-without-defaults")
    requirements = [
        "IRC-NS-*",
        "IRC-PAG-*",
        "IRC-CFG-*",
        "WXD-NS-*",
        "WXD-CFG-*",
        "WXD-PAG-004",
        "IRC-TBL-REN-*",
    ]
    suite = suites.load("watsonx_data")
    with (
        tempfile.TemporaryDirectory() as folder,
        served(suite, folder, faults=mutants(quirks, "watsonx_data")) as target,
    ):
        actual = outcomes_of(checked(target, *requirements, of=suite))

    assert [
        requirement
        for requirement, outcome in actual.items()
        if outcome in {Outcome.FAIL, Outcome.ERROR, Outcome.BLOCKED}
    ] == []


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        ([], 0, "conformant"),
        (["--fault", "createNamespace.answers-200"], 1, "WXD-NS-001"),
        (["--fault", "listNamespaces.answers-200"], 1, "WXD-SEC-002"),
    ],
)
def test_check_of_the_embedded_catalog_exits_with_its_verdict(
    arguments: list[str], code: int, text: str
) -> None:
    only = [
        word
        for pattern in ("WXD-SEC-*", "WXD-NS-00[12]", "WXD-TBL-001")
        for word in ("--only", pattern)
    ]

    ran = CliRunner().invoke(command, ["--contract", "watsonx_data", *only, *arguments])

    assert ran.exit_code == code
    assert text in ran.output


def test_check_without_a_warehouse_exits_with_3() -> None:
    with miniature(lambda *_: answer(200, {"overrides": {}})) as url:
        ran = CliRunner().invoke(
            command, ["--contract", "watsonx_data", url, "--only", "WXD-CFG-004"]
        )

    assert (ran.exit_code, "--warehouse NAME" in ran.output) == (3, True)


@contextlib.contextmanager
def catalog(folder: Path, *faults: Install) -> Iterator[Target]:
    """Yield an instance with credentials and faults."""
    home = suites.load("watsonx_data").launch_settings(folder)
    installs = [unnamed(install) for install in faults]
    with running(contract="watsonx_data", faults=installs, **home.settings) as server:
        yield home.target(server.url)


def failures_of(run: Any) -> set[str]:
    return {name for name, outcome in outcomes_of(run).items() if outcome is Outcome.FAIL}


def test_catalog_that_admits_everyone_fails(tmp_path: Path) -> None:
    admits = replace_rule("enter", lambda _: None)

    with catalog(tmp_path, admits) as target:
        failures = failures_of(checked(target, "IRC-SEC-001", "IRC-SEC-009", of="watsonx_data"))
        without_login = replace(target, features={**target.features, "authentication": False})
        off = failures_of(checked(without_login, "IRC-SEC-001", of="watsonx_data"))

    assert failures == {"IRC-SEC-001", "IRC-SEC-009"}
    assert off == set()


def test_refused_api_key_ends_the_run_as_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRONG", "hank:planted-wrong")
    with catalog(tmp_path) as target:
        header = f"Authorization: {next(iter(target.headers.values()))}"
        parameters = ("--parameter", "warehouse=lakepact", "--parameter", "api-key-env=WRONG")

        ran = CliRunner().invoke(
            command,
            ["--contract", "watsonx_data", target.url, "--quick", *parameters, "--header", header],
        )

    assert (ran.exit_code, "the API key to be accepted" in ran.output) == (3, True)
    assert "planted" not in ran.output


@pytest.mark.parametrize(
    "verb", [(command, "--only", "IRC-CFG-00*"), (probe,)], ids=["check", "probe"]
)
def test_api_key_alone_identifies_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: Any
) -> None:
    run, *options = verb
    with catalog(tmp_path) as target:
        key = next(
            iter(orjson.loads((tmp_path / "credentials.yaml").read_bytes())["api-keys"].items())
        )
        monkeypatch.setenv("USER_AND_KEY", ":".join(key))
        parameters = ("--parameter", "warehouse=lakepact", "--api-key-env", "USER_AND_KEY")

        ran = CliRunner().invoke(
            run, ["--contract", "watsonx_data", target.url, *parameters, *options]
        )

    assert ran.exit_code == 0, ran.output
    assert key[1] not in ran.output


@pytest.mark.parametrize("warehouse", ["lakepact", ""])
def test_wrong_prefix_fails_alone(tmp_path: Path, warehouse: str) -> None:
    wrong = on_answer(op.get_config, lambda document: document["overrides"].update(prefix="wrong"))

    with catalog(tmp_path, wrong) as target:
        parameters = {**target.parameters, "warehouse": warehouse}
        with_parameters = replace(target, parameters=parameters)
        run = checked(with_parameters, "IRC-SEC-00*", "WXD-GEN-001", of="watsonx_data")

    assert failures_of(run) == {"WXD-GEN-001"}


def test_namespaces_without_properties_fail_nothing(tmp_path: Path) -> None:
    null = on_answer(
        (op.create_namespace, op.load_namespace_metadata),
        lambda document: document.update(properties=None),
    )
    refuse = refuses(op.update_properties, lambda _: True, 406, "UnsupportedOperationException")

    with catalog(tmp_path, null, refuse) as target:
        run = checked(target, "IRC-NS-*", "WXD-NS-*", "WXD-CFG-*", of="watsonx_data")

    assert failures_of(run) == set()
    assert outcomes_of(run)["WXD-CFG-007"] is Outcome.WARN


def test_account_scope_is_checked_with_its_header(tmp_path: Path) -> None:
    file = tmp_path / "credentials.yaml"
    file.write_text(
        '{"tokens": ["a-token"], "api-keys": {"u": "a-key"}, "account-id": "a1"}', "utf-8"
    )
    with running(contract="watsonx_data", warehouse="memory:", credentials=file) as server:
        run = checked(
            Target(
                server.address("watsonx_data"),
                headers={"Authorization": "Bearer a-token", "AccountId": "a1"},
                parameters={"warehouse": "iceberg", "credentials": str(file)},
            ),
            "IRC-SEC-00[1269]",
            "WXD-SEC-*",
            "WXD-CFG-00[12]",
            of="watsonx_data",
        )

    by_requirement = outcomes_of(run)
    assert [name for name, o in by_requirement.items() if o is not Outcome.PASS] == []
    assert by_requirement["WXD-SEC-001"] is Outcome.PASS


def test_quick_check_judges_all_pages_and_the_form_of_errors() -> None:
    assert {"IRC-PAG-004", "IRC-ERR-001"} <= {*plan.quick(suites.load("iceberg_rest"))}


def test_quick_check_of_a_profile_adds_its_own_requirements() -> None:
    selection = plan.quick(suites.load("watsonx_data"))

    assert {"IRC-SEC-001", "WXD-SEC-001", "WXD-GEN-001", "IRC-NS-CREATE-001"} <= set(selection)
