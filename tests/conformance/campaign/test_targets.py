"""Campaign targets have distinct names and hold no secret before a request is sent."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from lakepact.conformance.campaign.execution import evidence
from lakepact.conformance.campaign.targets import of_document, parse_targets
from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.running.profiles import NoSecret

ONE = ("iceberg_rest",)


def profile(folder: Path, text: str) -> str:
    path = folder / "theirs.toml"
    path.write_text(text, encoding="utf-8")
    return f"theirs={path}"


def test_secret_is_looked_up_when_requests_are_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THEIR_TOKEN", "s3cret-word")
    (target,) = parse_targets(
        [
            profile(
                tmp_path,
                'url = "http://a.example"\ntoken_env = "THEIR_TOKEN"\n[headers]\nX-Key = "k ${THEIR_TOKEN}"\n',
            )
        ],
        ONE,
    )

    assert target.target().headers == {
        "Authorization": "Bearer s3cret-word",
        "X-Key": "k s3cret-word",
    }
    assert "s3cret-word" not in json.dumps(target.document)
    assert of_document(json.loads(json.dumps(target.document))) == target


def test_certificates_proxy_and_login_of_a_profile_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLIENT", "id:s3cret-word")
    settings = 'proxy = "http://127.0.0.1:3128"\ncredential_env = "CLIENT"\nscope = "catalog"\nversion = "1.11.0"\n'
    (target,) = parse_targets([profile(tmp_path, f'url = "http://a.example"\n{settings}')], ONE)

    copy = of_document(json.loads(json.dumps(target.document)))
    assert (copy.target().access.proxy, copy.access.credential_env, copy.version) == (
        "http://127.0.0.1:3128",
        "CLIENT",
        "1.11.0",
    )
    assert "s3cret-word" not in json.dumps(target.document)


def test_missing_secret_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THEIR_TOKEN", raising=False)
    (target,) = parse_targets(
        [profile(tmp_path, 'url = "http://a.example"\ntoken_env = "THEIR_TOKEN"\n')], ONE
    )

    with pytest.raises(NoSecret, match="THEIR_TOKEN"):
        target.target()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["http://a.example"], "write NAME=URL"),
        (["a=nowhere"], "no http"),
        (["a=http://me:pass@a.example"], "must not hold a password"),
        (["a=missing.toml"], "cannot be read"),
        (["a=http://a.example", "a=http://b.example"], "two of that name"),
    ],
)
def test_unusable_target_is_refused_without_its_password(options: list[str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as exc_info:
        parse_targets(options, ONE)

    assert "pass@" not in str(exc_info.value)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ('[headers]\nX-Key = "s3cr3t-value"\n', "X-Key"),
        (
            'contract = "iceberg_rest"\ncontract_version = "1.11.0"\n',
            r"contract_version is 1\.11\.0, and cases .* of iceberg_rest 1\.10\.0",
        ),
        (
            '[features]\nnesting = "off"\n',
            r"theirs\.toml: the feature nesting is 'off'; write true or false",
        ),
    ],
)
def test_unusable_profile_is_refused_without_its_secrets(
    tmp_path: Path, more: str, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence) as exc_info:
        parse_targets([profile(tmp_path, f'url = "http://a.example"\n{more}')], ONE)

    assert "s3cr3t-value" not in str(exc_info.value)


def test_profile_written_by_probe_is_accepted(tmp_path: Path) -> None:
    text = 'contract = "iceberg_rest"\ncontract_version = "1.10.0"\nurl = "http://a.example"\n'

    assert [(one.url, one.contract) for one in parse_targets([profile(tmp_path, text)], ONE)] == [
        ("http://a.example", "iceberg_rest")
    ]


def exchange(body: bytes) -> Exchange:
    headers = (("Authorization", "Bearer s3cret-word"), ("X-Key", "s3cret-word"), ("X-More", "a"))
    secrets = ("Bearer s3cret-word", "s3cret-word")
    reply_headers = httpx.Headers(
        {"set-cookie": "c=1", "x-echo": "s3cret-word", "content-type": "application/json"}
    )
    return Exchange(
        1,
        "loadTable",
        "campaign",
        "GET",
        "http://a/?k=s3cret-word",
        headers,
        b"s3cret-word",
        404,
        reply_headers,
        body,
        0.5,
        secrets,
    )


def test_evidence_row_holds_no_secret() -> None:
    row = evidence.row_of(
        exchange(b'{"a":"s3cret-word","s3.secret-access-key":"xyzzy-1"}'), ["X-Key"]
    )

    assert "s3cret" not in repr(row)
    assert "xyzzy" not in repr(row)
    assert [p["value"] for p in row["request_headers"]] == ["<redacted>", "<redacted>", "a"]


def test_answer_that_repeats_a_secret_is_still_detected() -> None:
    rest = {"number": 1, "operation_id": "loadTable"}
    leaking = evidence.exchange_of({**evidence.row_of(exchange(b"s3cret-word")), **rest})
    discreet = evidence.exchange_of({**evidence.row_of(exchange(b"none")), **rest})

    assert [any(s.encode() in e.body for s in e.secrets) for e in (leaking, discreet)] == [
        True,
        False,
    ]


def test_evidence_row_keeps_binary_bodies() -> None:
    body = bytes(range(256))

    assert body == evidence.row_of(exchange(body))["response_body"]
