"""No answer and no log line repeats a secret of a request."""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakepact.generated.contract import Contract, Operation

from .conftest import As, guarded
from .test_token_endpoint import EXCHANGE, KIND

OPERATIONS = Contract("iceberg_rest", "1.11.0").operations.values()
PLANTED = "planted-Secret.0123"
BASIC = base64.b64encode(f"bot id:{PLANTED}".encode()).decode()
SHOWN = [
    PLANTED,
    f"Bearer {PLANTED}",
    f"Bearer lakepact.{PLANTED}.{PLANTED}",
    f"Bearer {PLANTED} {PLANTED}",
    f"Bearer={PLANTED}",
    f"Basic {PLANTED}",
    f"Basic {BASIC}",
    f"Basic {BASIC}!",
    f"ZenApiKey {PLANTED}",
    f"Digest username={PLANTED}",
]
FORM = {"content_type": "application/x-www-form-urlencoded"}
MEMBERS = (
    "grant_type",
    "client_id",
    "client_secret",
    "subject_token",
    "subject_token_type",
    "actor_token",
    "actor_token_type",
    "scope",
)


@pytest.fixture(scope="module")
def bearing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[As]:
    with guarded(tmp_path_factory.mktemp("secrets"), contract_version="1.11.0") as (_, bearing):
        yield bearing


def repeats(text: str) -> bool:
    return PLANTED in text or BASIC in text


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
def test_refused_credentials_are_not_repeated(
    bearing: As, caplog: pytest.LogCaptureFixture, operation: Operation, shown: str
) -> None:
    path = (
        operation.path.replace("/{prefix}", "")
        .replace("{namespace}", "n")
        .replace("{table}", "t")
        .replace("{view}", "v")
    )
    with caplog.at_level(logging.DEBUG):
        answer = bearing(None)(
            operation.method, path.replace("{plan-id}", "p"), authorization=shown
        )

    assert answer.status in {400, 401, 415}
    assert not repeats(f"{answer.headers} {answer.body.decode()} {caplog.text}")


@settings(
    max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    grant=st.sampled_from(["client_credentials", EXCHANGE, "password", PLANTED, ""]),
    form=st.dictionaries(
        st.sampled_from(MEMBERS),
        st.sampled_from([PLANTED, f"{KIND}jwt", "root-token", "bot id", f"{PLANTED}:", ""]),
    ),
    shown=st.sampled_from([None, *SHOWN]),
    end=st.sampled_from(
        ["", f"&client_secret={PLANTED}", f"&{PLANTED}=1", f"&x=%ff{PLANTED}", f"&x={PLANTED}\xff"]
    ),
    kind=st.sampled_from([*FORM.values(), "application/json", "text/plain"]),
)
def test_refused_form_is_not_repeated(
    bearing: As,
    caplog: pytest.LogCaptureFixture,
    grant: str,
    form: dict[str, str],
    shown: str | None,
    end: str,
    kind: str,
) -> None:
    caplog.clear()
    headers = {"content_type": kind} | ({} if shown is None else {"authorization": shown})
    body = f"{urlencode({**form, 'grant_type': grant})}{end}".encode("latin-1")
    with caplog.at_level(logging.DEBUG):
        answer = bearing(None)("POST", "/v1/oauth/tokens", body, **headers)

    assert answer.status in {400, 401, 415} or "root-token" in form.values()
    assert answer.status < 500
    assert not repeats(f"{answer.headers} {answer.body.decode()} {caplog.text}")
