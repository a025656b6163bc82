"""Requests signed with AWS Signature Version 4, as AWS Glue and S3 Tables require."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reach.auth import Auth, AuthFlow

try:
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.session import Session
except ModuleNotFoundError as missing:
    message = "SigV4 needs botocore: pip install botocore"
    raise ImportError(message, name="botocore") from missing

if TYPE_CHECKING:
    from botocore.credentials import Credentials

    from lakepact.reach.wire import Headers, Request


class SigV4(Auth):
    """Signs every request, each retry again, with AWS Signature Version 4.

    Args:
        service: The signing name of the service, such as `glue` or `s3tables`.
        region: The region; by default that of the AWS configuration.
        credentials: The credentials; by default those of the AWS configuration: environment,
            profile, container or instance. They are read before each request, and renewed in the
            thread or event loop that sends. botocore's loggers show a session token at level DEBUG.

    Raises:
        ValueError: The AWS configuration has no region or no credentials.
        ImportError: botocore is not installed.
    """

    def __init__(
        self, service: str, *, region: str | None = None, credentials: Credentials | None = None
    ) -> None:
        session = Session()
        self._service = service
        self._given = credentials
        own_region = region or session.get_config_variable("region")
        own_credentials = credentials or session.get_credentials()
        if not own_region:
            raise ValueError("no AWS region: give region= or --region, or set AWS_DEFAULT_REGION")
        if own_credentials is None:
            raise ValueError(
                "no AWS credentials: give credentials=, or set AWS_PROFILE, or AWS_ACCESS_KEY_ID "
                "and AWS_SECRET_ACCESS_KEY"
            )
        self._region: str = own_region
        self._credentials: Credentials = own_credentials

    def __repr__(self) -> str:
        return f"SigV4({self._service!r}, region={self._region!r}, credentials=[hidden])"

    def __reduce__(self) -> tuple[Any, ...]:
        # Without credentials= the copy reads the AWS configuration again, so that a pickle holds no
        # secret of it.
        if hasattr(self._given, "refresh_needed"):
            raise TypeError(
                "SigV4 cannot be pickled with credentials= that renew themselves; leave them to the"
                " AWS configuration"
            )
        return partial(type(self), region=self._region, credentials=self._given), (self._service,)

    def flow(self, request: Request) -> AuthFlow:
        """Yield the request with its signature."""
        # AWS reads a plus sign in a query as itself, and only %20 as a space.
        path, mark, query = request.url.partition("?")
        request = replace(request, url=path + mark + query.replace("+", "%20"))
        for name, value in self.signature(request):
            request = request.with_header(name, value)
        yield request

    def signature(self, request: Request) -> Headers:
        """Return the headers that sign a request as it is; a plus sign in its query is one."""
        path, mark, query = request.url.partition("?")
        # Other headers may be changed on the way, by proxies and by the HTTP library.
        stable = {name: value for name, value in request.headers if name.lower() == "content-type"}
        aws_request = AWSRequest(
            method=request.method,
            url=path + mark + query.replace("+", "%2B"),
            headers=stable,
            data=request.content or b"",
        )
        SigV4Auth(self._credentials.get_frozen_credentials(), self._service, self._region).add_auth(
            aws_request
        )
        names = ("X-Amz-Date", "X-Amz-Security-Token", "Authorization")
        return tuple(
            (name, aws_request.headers[name]) for name in names if name in aws_request.headers
        )
