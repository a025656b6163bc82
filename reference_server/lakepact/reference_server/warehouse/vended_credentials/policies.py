"""Session policies of vended credentials, limited to one directory of a bucket."""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

S3 = frozenset({"s3", "s3a", "s3n"})
READING = ("s3:GetObject",)
WRITING = (
    *READING,
    "s3:PutObject",
    "s3:DeleteObject",
    "s3:AbortMultipartUpload",
    "s3:ListMultipartUploadParts",
)
_SPECIAL = re.compile(r"[*?$]")  #: what policies do not take for itself
_PARTITIONS = {"cn": "aws-cn", "us-gov": "aws-us-gov"}


class Unlimited(ValueError):
    """A place that no grant can be limited to; the message says why."""


def policy(location: str, region: str, *, is_writable: bool = False) -> str:
    """Return a policy that allows to read what lies below a location, to list it, perhaps to write
    there, and nothing else.

    Raises:
        Unlimited: the location is not a directory of a store that has such policies.
    """
    bucket, prefix = bucket_and_prefix(location)
    arn = f"arn:{_partition(region)}:s3:::{bucket}"
    below = f"{escape(prefix)}/*"
    statements = [
        {
            "Effect": "Allow",
            "Action": WRITING if is_writable else READING,
            "Resource": [f"{arn}/{below}"],
        },
        # Without the slash, what lies beside and begins alike could be listed too.
        {
            "Effect": "Allow",
            "Action": ["s3:ListBucket"],
            "Resource": [arn],
            "Condition": {"StringLike": {"s3:prefix": [below]}},
        },
        {"Effect": "Allow", "Action": ["s3:GetBucketLocation"], "Resource": [arn]},
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements}, separators=(",", ":"))


def bucket_and_prefix(location: str) -> tuple[str, str]:
    """Return the bucket of a location, and the path in it without slashes at its ends.

    Raises:
        Unlimited: it has none.
    """
    parts = urlsplit(location)
    prefix = (
        location.partition("://")[2].partition("/")[2].strip("/")
    )  # ? and # are letters of a path
    if parts.scheme not in S3 or not re.fullmatch(
        r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", parts.netloc
    ):
        raise Unlimited(
            f"{location[:200]!r} is not a directory of a bucket; write s3://bucket/path"
        )
    if not prefix or {"", ".", ".."} & set(prefix.split("/")):
        raise Unlimited(f"{location[:200]!r} has no path of its own in the bucket")
    return parts.netloc, prefix


def escape(text: str) -> str:
    """Return a text as policies spell it that take * ? and $ for more than themselves."""
    return _SPECIAL.sub(lambda match: f"${{{match[0]}}}", text)


def _partition(region: str) -> str:
    return next(
        (name for start, name in _PARTITIONS.items() if region.startswith(f"{start}-")), "aws"
    )
