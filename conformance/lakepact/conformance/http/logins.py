"""Logins: headers that authorize each request, by a token that is renewed or by a signature."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx

from lakepact.conformance.evidence.access import Access
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.http import routes

Login = Callable[[str, str, Sequence[tuple[str, str]], bytes], Mapping[str, str]]

LIFETIME = 0.75  #: part of a token's lifetime after which another is fetched
REFUSES_FORM = frozenset({400, 401})  #: statuses after which id and secret are sent in the header


def login(access: Access, url: str, *, timeout: float) -> Login | None:
    """Return the function that authorizes requests; `None` if the settings name no login.

    Args:
        access: the settings.
        url: base address of the target.
        timeout: seconds to wait for a token.

    Raises:
        ValueError: a setting lacks something; the message names the option.
    """
    if access.sigv4:
        return _signing(access.sigv4, access.region)
    if not access.credential_env:
        return None
    name, colon, secret = os.environ.get(access.credential_env, "").strip().partition(":")
    if not colon:
        raise ValueError(
            "the environment variable that --credential-env names is not set, or does not hold id:secret"
        )
    endpoint = access.token_endpoint or f"{url}/v1/oauth/tokens"
    split = urlsplit(endpoint)
    if split.scheme not in {"http", "https"} or not split.hostname or split.username is not None:
        raise ValueError(
            "--token-endpoint: write http://HOST:PORT/PATH or https://HOST/PATH, without a user"
        )
    proxy = routes.proxy(
        access, split.scheme, split.hostname, split.port or (443 if split.scheme == "https" else 80)
    )
    post = partial(
        httpx.post,
        endpoint,
        verify=routes.tls(access),
        proxy=proxy.url if proxy else None,
        trust_env=False,
        timeout=timeout,
    )
    return ClientCredentials(endpoint, (name, secret), access.scope, post=post)


class ClientCredentials:
    """Sends a token of a token endpoint, and fetches the next one before it expires; may be used by several threads."""

    def __init__(
        self,
        endpoint: str,
        credential: tuple[str, str],
        scope: str,
        *,
        post: Callable[..., httpx.Response],
    ) -> None:
        self._endpoint, self._credential, self._scope, self._post = (
            endpoint,
            credential,
            scope,
            post,
        )
        self._token, self._until = "", 0.0
        self._lock = threading.Lock()

    def __call__(self, *_: object) -> Mapping[str, str]:
        """Return the header with the token.

        Raises:
            Blocked: the token endpoint gives none.
        """
        with self._lock:
            if time.monotonic() >= self._until:
                self._token, seconds = self._fetched()
                self._until = time.monotonic() + LIFETIME * seconds
        return {"Authorization": f"Bearer {self._token}"}

    def _fetched(self) -> tuple[str, float]:
        name, secret = self._credential
        form = {
            "grant_type": "client_credentials",
            **({"scope": self._scope} if self._scope else {}),
        }
        try:
            reply = self._post(data={**form, "client_id": name, "client_secret": secret})
            if reply.status_code in REFUSES_FORM:
                reply = self._post(data=form, auth=self._credential)
        except httpx.HTTPError as wrong:
            raise Blocked(
                f"the token endpoint {self._endpoint} does not answer: {wrong} (--token-endpoint)"
            ) from wrong
        try:
            document = reply.json() if reply.is_success else {}
            return str(document["access_token"]), float(document.get("expires_in") or "inf")
        except (ValueError, TypeError, KeyError, AttributeError) as wrong:
            why = f"returned {reply.status_code} and no token (--token-endpoint, --credential-env, --scope)"
            raise Blocked(f"the token endpoint {self._endpoint} {why}") from wrong


def _signing(service: str, region: str) -> Login:
    """Return the function that signs requests with AWS Signature Version 4.

    Raises:
        ValueError: botocore, a region or credentials are missing.
    """
    try:
        from botocore.auth import SigV4Auth  # noqa: PLC0415 - an extra
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415
        from botocore.session import Session  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise ValueError("--sigv4 needs botocore: pip install 'lakepact[aws]'") from missing
    session: Any = Session()
    place, credentials = region or session.get_config_variable("region"), session.get_credentials()
    if not place:
        raise ValueError("--sigv4 needs a region: --region, or AWS_DEFAULT_REGION")
    if credentials is None:
        raise ValueError(
            "--sigv4 needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
        )

    def sign(
        method: str, url: str, headers: Sequence[tuple[str, str]], body: bytes
    ) -> Mapping[str, str]:
        # AWS reads a plus sign in a query as itself.
        kept = {name: value for name, value in headers if name.lower() == "content-type"}
        request = AWSRequest(method=method, url=url.replace("+", "%2B"), headers=kept, data=body)
        SigV4Auth(credentials.get_frozen_credentials(), service, place).add_auth(request)
        names = ("X-Amz-Date", "X-Amz-Security-Token", "Authorization")
        return {name: request.headers[name] for name in names if name in request.headers}

    return sign
