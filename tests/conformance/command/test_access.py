"""`lakepact check` reaches servers behind a private authority, a proxy or a login, and names the
option of each wrong setting.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from faulty import unnamed
from fronts import certificate, proxy_front, socks_front, tls_front
from lakepact.conformance.commands.check import check
from lakepact.conformance.commands.probe import probe
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.report import lines
from lakepact.conformance.report.outline import Outline
from lakepact.generated.iceberg_rest import op
from lakepact.reach.settings import Settings
from lakepact.reference_server.faults import on_status
from lakepact.reference_server.running import running
from miniatures import Answer, answer, miniature

SECRET = "s3cr3t-of-the-client"
FEW = ("--only", "IRC-NS-CREATE-001", "--stateful-requests", "0")
SERVER_FILE = """\
[principals.suite]
client-id = "suite"
client-secret = "s3cr3t-of-the-client"

[[grants]]
principal = "suite"
access = "admin"

[tokens]
lifetime = 8
"""


@pytest.fixture(scope="module")
def catalog() -> Iterator[str]:
    with running(warehouse="memory:") as server:
        yield server.url


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[str, str]]:
    """Return certificate and key of a server and of a caller."""
    folder = tmp_path_factory.mktemp("tls")
    return {name: certificate(folder, name) for name in ("server", "caller")}


def check_url(url: str, *options: str) -> Result:
    return CliRunner().invoke(check, [url, *FEW, *options])


@pytest.mark.parametrize("setting", ["--ca-file", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "profile"])
def test_private_authority_is_trusted(
    setting: str,
    catalog: str,
    certificates: Mapping[str, tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    authority = certificates["server"][0]
    options = {
        "--ca-file": (setting, authority),
        "profile": ("--profile", str(tmp_path / "target.toml")),
    }.get(setting, ())
    (tmp_path / "target.toml").write_text(f"ca_file = {json.dumps(authority)}\n")
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.setenv(name, authority if name == setting else "")
    with tls_front(catalog, certificates["server"]) as front:
        assert check_url(front.url, *options).exit_code == 0


def test_unknown_authority_names_the_option(
    catalog: str, certificates: Mapping[str, tuple[str, str]]
) -> None:
    with tls_front(catalog, certificates["server"]) as front:
        result = check_url(front.url)

    assert result.exit_code == 3
    assert "self-signed certificate (--ca-file FILE trusts another authority)" in result.output


def test_client_certificate_is_presented(
    catalog: str, certificates: Mapping[str, tuple[str, str]]
) -> None:
    authority, (crt, key) = certificates["server"][0], certificates["caller"]
    with tls_front(catalog, certificates["server"], callers=crt) as front:
        assert (
            check_url(
                front.url, "--ca-file", authority, "--client-cert", crt, "--client-key", key
            ).exit_code
            == 0
        )
        result = check_url(front.url, "--ca-file", authority)

    assert (result.exit_code, "--client-cert FILE" in result.output) == (3, True)


@pytest.mark.parametrize("setting", ["--proxy", "HTTPS_PROXY"])
def test_requests_go_through_the_proxy(
    setting: str,
    catalog: str,
    certificates: Mapping[str, tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with tls_front(catalog, certificates["server"]) as front, proxy_front() as proxy:
        monkeypatch.setattr("lakepact.conformance.http.routes.LOOPBACK", ())
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("//", "//user:p%40ss@"))
        options = ("--proxy", proxy.url) if setting == "--proxy" else ()
        assert check_url(front.url, "--ca-file", certificates["server"][0], *options).exit_code == 0
        assert (
            check_url(
                front.url, "--ca-file", certificates["server"][0], "--proxy", "none"
            ).exit_code
            == 0
        )

    assert {head.split()[1].decode() for head in proxy.heads} == {
        front.url.removeprefix("https://")
    }
    assert all(
        (b"Proxy-Authorization: Basic dXNlcjpwQHNz" in head) == (setting == "HTTPS_PROXY")
        for head in proxy.heads
    )


LOGIN = b"\x01\x04user\x05p@ss!"  #: of SOCKS5


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
@pytest.mark.parametrize("setting", ["--proxy", "ALL_PROXY"])
def test_requests_go_through_a_socks_proxy(
    setting: str,
    scheme: str,
    catalog: str,
    certificates: Mapping[str, tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lakepact.conformance.http.routes.LOOPBACK", ())
    with (
        tls_front(catalog, certificates["server"]) as front,
        socks_front(login=b"" if setting == "--proxy" else LOGIN) as proxy,
    ):
        address = proxy.url.replace("socks5", scheme)
        monkeypatch.setenv("ALL_PROXY", address.replace("//", "//user:p%40ss!@"))
        options = ("--proxy", address) if setting == "--proxy" else ()
        for url in (catalog, front.url):
            result = check_url(url, "--ca-file", certificates["server"][0], *options)
            assert result.exit_code == 0, result.output

    ports = {int.from_bytes(head[-2:], "big") for head in proxy.heads if head[0] == 5}
    assert ports == {int(url.rpartition(":")[2]) for url in (catalog, front.url)}
    assert (LOGIN in proxy.heads) == (setting == "ALL_PROXY")


def test_missing_package_of_a_socks_proxy_is_a_usage_error(
    catalog: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    result = check_url(catalog, "--proxy", "socks5://127.0.0.1:1")

    assert result.exit_code == 2
    assert "--proxy is socks5://…, which needs socksio: pip install socksio" in result.output


@pytest.mark.parametrize(
    ("front", "why"),
    [
        ({"reply": 5}, "SOCKS5 reply CONNECTION_REFUSED"),
        ({"login": LOGIN}, "no SOCKS5, or the name and password were refused"),
    ],
)
def test_socks_proxy_that_refuses_is_named(
    front: Mapping[str, Any], why: str, catalog: str
) -> None:
    with socks_front(**front) as proxy:
        result = check_url(catalog, "--proxy", proxy.url)

    assert result.exit_code == 3
    where = proxy.url.removeprefix("socks5://")
    assert f"{why}, through the proxy {where} (--proxy)" in " ".join(result.output.split())


def test_proxy_of_the_environment_is_not_used_for_loopback(
    catalog: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with proxy_front() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert check_url(catalog).exit_code == 0

    assert proxy.heads == []


def test_variables_for_other_addresses_are_no_usage_errors(
    catalog: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks5://127.0.0.1:1")
    monkeypatch.setenv("SSL_CERT_FILE", "nowhere.pem")

    assert check_url(catalog).exit_code == 0


def test_proxy_that_refuses_is_named(catalog: str) -> None:
    with proxy_front(refuse="407 Proxy Authentication Required") as proxy:
        result = check_url(catalog, "--proxy", proxy.url)

    assert result.exit_code == 3
    assert (
        f"407 Proxy Authentication Required, through the proxy {proxy.url.removeprefix('http://')} (--proxy)"
        in result.output
    )


def test_oauth2_client_checks_a_server_of_principals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "server.toml").write_text(SERVER_FILE)
    monkeypatch.setenv("CREDENTIAL", f"suite:{SECRET}")
    with running(warehouse="memory:", config=tmp_path / "server.toml") as server:
        result = CliRunner().invoke(
            check,
            [server.url, "--only", "IRC-TBL-[CL]*", "--credential-env", "CREDENTIAL", "--verbose"],
        )

    assert result.exit_code == 0, result.output
    assert SECRET not in result.output


def test_tokens_are_renewed_in_the_form_that_the_endpoint_accepts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    authorizations: list[str] = []

    class Catalog:
        def listen(self, headers: Mapping[str, str]) -> None:
            authorizations.append(headers.get("authorization", ""))

        def __call__(self, _method: str, target: str, _body: bytes) -> Answer:
            if not target.endswith("/tokens"):
                return answer(200, {})
            return (
                answer(200, {"access_token": "t0ken", "expires_in": 0.4})
                if not authorizations[-1]
                else answer(401, {"error": "invalid_client"})
            )

    monkeypatch.setenv("CREDENTIAL", f"suite:{SECRET}")
    with (
        miniature(Catalog()) as url,
        Wire(url, access=Settings(credential_env="CREDENTIAL")) as wire,
    ):
        wire.send("GET", "/v1/config")
        time.sleep(0.5)
        wire.send("GET", "/v1/config")
        wire.send("GET", "/v1/config", anonymous=True)

    assert [header.split()[0] if header else "" for header in authorizations] == [
        "Basic",
        "",
        "Bearer",
        "",
        "Bearer",
        "",
    ]


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (
            400,
            {"error": "invalid_scope", "error_description": f"not with {SECRET}"},
            'returned 400 and no token for scope "catalog": invalid_scope, not with <redacted>',
        ),
        (200, {}, "returned 200 and no token"),
    ],
)
def test_token_endpoint_without_a_token_is_named(
    status: int, body: object, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREDENTIAL", f"suite:{SECRET}")
    with miniature(lambda *_: answer(status, body)) as url:
        result = check_url(
            url, "--credential-env", "CREDENTIAL", "--token-endpoint", f"{url}/token"
        )

    assert result.exit_code == 3
    assert (
        f"the token endpoint {url}/token {why} (--token-endpoint, --credential-env, --scope)"
        in " ".join(result.output.split())
    )
    assert SECRET not in result.output


def test_answer_without_end_of_a_token_endpoint_is_not_read_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CREDENTIAL", f"suite:{SECRET}")
    with miniature(lambda *_: answer(200, {"access_token": "x" * 17_000_000})) as url:
        result = check_url(
            url, "--credential-env", "CREDENTIAL", "--token-endpoint", f"{url}/token"
        )

    assert result.exit_code == 3
    assert "the body of the answer is larger than 16 MiB" in " ".join(result.output.split())


def test_requests_are_signed_for_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("botocore")
    requests: list[Mapping[str, str]] = []

    class Catalog:
        def listen(self, headers: Mapping[str, str]) -> None:
            requests.append(headers)

        def __call__(self, *_: object) -> Answer:
            return answer(200, {})

    for name, value in {
        "AWS_ACCESS_KEY_ID": "AKID",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_SESSION_TOKEN": "session",
    }.items():
        monkeypatch.setenv(name, value)
    with (
        miniature(Catalog()) as url,
        Wire(url, access=Settings(sigv4="glue", region="eu-west-1")) as wire,
    ):
        wire.send(
            "POST",
            "/v1/namespaces?a=b+c",
            headers=[("Content-Type", "application/json")],
            body=b"{}",
        )

    assert "/eu-west-1/glue/aws4_request" in requests[0]["authorization"]
    assert requests[0]["x-amz-security-token"] == "session"


@pytest.mark.parametrize("command", [check, probe], ids=["check", "probe"])
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--ca-file", "nowhere.pem"), "--ca-file='nowhere.pem': No such file or directory"),
        (("--ca-file", __file__), "it must be a file in PEM"),
        (("--client-cert", __file__), "--client-cert"),
        (("--client-key", "k.pem"), "--client-key needs --client-cert"),
        (("--proxy", "socks4://127.0.0.1:1"), "--proxy is socks4://…, and http, https, socks5"),
        (("--proxy", "https://127.0.0.1:1"), "--proxy is https://…, and http, socks5 or socks5h"),
        (
            ("--proxy", f"http://user:{SECRET}@127.0.0.1:1"),
            "set HTTPS_PROXY or HTTP_PROXY for a proxy with a password",
        ),
        (
            ("--credential-env", SECRET),
            "the environment variable that --credential-env names is not set",
        ),
        (
            ("--credential-env", "GOOD", "--token-endpoint", "nowhere"),
            "--token-endpoint: write http",
        ),
        (("--token-endpoint", "http://127.0.0.1:1"), "--token-endpoint needs --credential-env"),
        (("--credential-env", "GOOD", "--token-env", "GOOD"), "exclude each other"),
    ],
)
def test_wrong_settings_are_usage_errors(
    command: click.Command, options: tuple[str, ...], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOD", "id:secret")
    result = CliRunner().invoke(command, ["http://127.0.0.1:1", *options])

    assert result.exit_code == 2
    assert sentence in result.output
    assert SECRET not in result.output


def test_client_of_oauth2_is_judged_and_repeated_like_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "server.toml").write_text(SERVER_FILE)
    monkeypatch.setenv("CREDENTIAL", f"suite:{SECRET}")
    path = tmp_path / "report.jsonl"
    wrong = unnamed(on_status(op.load_table, {404: 400}))
    with running(warehouse="memory:", config=tmp_path / "server.toml", faults=[wrong]) as server:
        only = ("--only", "IRC-SEC-*", "--only", "IRC-OAU-003", "--only", "IRC-TBL-LOAD-005")
        access = ("--credential-env", "CREDENTIAL", "--report", f"jsonl={path}")
        CliRunner().invoke(check, [server.url, *only, *access])
    outline = Outline.of(lines.read(path))
    outcomes = {line["requirement"]: line["outcome"] for line in outline.results}
    (group,) = outline.groups

    assert {outcomes[f"IRC-SEC-00{n}"] for n in (1, 2, 6, 7)} == {"pass"}
    assert outcomes["IRC-OAU-003"] == "pass"
    assert outline.header["own_headers"] == ["Authorization"]
    assert "why" not in group.entries[0].verdict["replay"]
    assert SECRET not in path.read_text()


def test_scope_is_sent_by_checks_of_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies: list[str] = []

    def catalog(_method: str, target: str, body: bytes) -> Answer:
        if not target.endswith("/tokens"):
            return answer(200, {"defaults": {}, "overrides": {}, "namespaces": []})
        bodies.append(body.decode())
        is_in_scope = "scope=PRINCIPAL_ROLE%3AALL" in bodies[-1]
        token = {"access_token": "t0ken", "token_type": "bearer"}
        return answer(200, token) if is_in_scope else answer(400, {"error": "invalid_scope"})

    monkeypatch.setenv("CREDENTIAL", f"suite:{SECRET}")
    only = ("--only", "IRC-OAU-003", "--feature", "oauth-tokens=on")
    access = ("--credential-env", "CREDENTIAL", "--scope", "PRINCIPAL_ROLE:ALL")
    with miniature(catalog) as url:
        result = CliRunner().invoke(check, [url, *only, *access])

    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("path", "message", "expected"),
    [
        ("", "Unable to find warehouse nope", "Unable to find warehouse nope (--warehouse"),
        ("/v1", "no such route", "leave out /v1 at the end of the address: try http://127.0.0.1:"),
    ],
)
def test_refused_address_or_warehouse_shows_what_to_change(
    path: str, message: str, expected: str
) -> None:
    error = {"error": {"message": message, "type": "NotFoundException", "code": 404}}
    with miniature(lambda *_: answer(404, error)) as url:
        result = check_url(url + path, "--parameter", "warehouse=nope")

    assert result.exit_code == 3
    assert expected in " ".join(result.output.split())
