"""Where tables lie in the stores that recipients can reach, and what may be read of them there."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

S3 = frozenset({"s3", "s3a", "s3n"})
_SPECIAL = re.compile(r"[*?$]")  #: what policies do not take for itself
_PARTITIONS = {"cn": "aws-cn", "us-gov": "aws-us-gov"}


class Unlimited(ValueError):
    """A place that no grant can be limited to; the message says why."""


def address_of(folder: Path, stores: Iterable[tuple[Path, str]]) -> str | None:
    """Where recipients find a folder of this machine: below the address of the nearest folder above it that has one."""
    above = [(store, address) for store, address in stores if folder.is_relative_to(store)]
    if not above:
        return None
    store, address = max(above, key=lambda pair: len(pair[0].parts))
    return "/".join((address.rstrip("/"), *folder.relative_to(store).parts))


def read_policy(location: str, region: str) -> str:
    """A policy that allows to read what lies below a location, to list it, and nothing else.

    Raises:
        Unlimited: the location is not a directory of a store that has such policies.
    """
    bucket, prefix = bucket_and_prefix(location)
    arn = f"arn:{_partition(region)}:s3:::{bucket}"
    below = f"{escaped(prefix)}/*"
    statements = [
        {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": [f"{arn}/{below}"]},
        # Without the slash, what lies beside and begins alike could be listed too.
        {"Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": [arn], "Condition": {"StringLike": {"s3:prefix": [below]}}},
        {"Effect": "Allow", "Action": ["s3:GetBucketLocation"], "Resource": [arn]},
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements}, separators=(",", ":"))


def bucket_and_prefix(location: str) -> tuple[str, str]:
    """The bucket of a location, and the path in it without slashes at its ends.

    Raises:
        Unlimited: it has none.
    """
    parts = urlsplit(location)
    prefix = location.partition("://")[2].partition("/")[2].strip("/")  # ? and # are letters of a path
    if parts.scheme not in S3 or not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", parts.netloc):
        raise Unlimited(f"{location[:200]!r} is not a directory of a bucket; write s3://bucket/path")
    if not prefix or {"", ".", ".."} & set(prefix.split("/")):
        raise Unlimited(f"{location[:200]!r} has no path of its own in the bucket")
    return parts.netloc, prefix


def escaped(text: str) -> str:
    """A text as policies spell it that take * ? and $ for more than themselves."""
    return _SPECIAL.sub(lambda match: f"${{{match[0]}}}", text)


def _partition(region: str) -> str:
    return next((name for start, name in _PARTITIONS.items() if region.startswith(f"{start}-")), "aws")
