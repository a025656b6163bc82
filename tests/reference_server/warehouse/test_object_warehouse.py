"""A warehouse in a bucket accepts only locations below its root."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from lakepact.reference_server.warehouse.local import Outside, Unwritable
from lakepact.reference_server.warehouse.objects import ObjectWarehouse
from lakepact.reference_server.warehouse.vended_credentials.signing import Keys
from miniatures import miniature

ROOT = "s3://bucket/lake"
SECRET = "wJalrXUtnFEMI"


@pytest.mark.parametrize(
    "location", ["s3://bucket/lake/t", "s3://bucket/lake/a b/ü?#/t-1", "s3://bucket/lake/%41"]
)
def test_location_below_the_root_is_held(location):
    ObjectWarehouse(f"{ROOT}/").check_location(location)


@pytest.mark.parametrize(
    "location",
    [
        "",
        "s3://bucket/lake",
        "s3://bucket/lake/",
        "s3://bucket/lake//t",
        "s3://bucket/lake/t/",
        "s3://bucket/lakes/t",
        "s3://bucket/lake/../t",
        "s3://bucket/lake/t/%2e%2E/u",
        "s3://bucket/lake/./t",
        "s3://bucket/lake/t\0",
        "s3://other/lake/t",
        "s3a://bucket/lake/t",
        "S3://bucket/lake/t",
        "file:///bucket/lake/t",
        "bucket/lake/t",
    ],
)
def test_location_outside_or_in_another_spelling_is_refused(location):
    warehouse = ObjectWarehouse(ROOT)

    for act in (
        warehouse.check_location,
        warehouse.read,
        warehouse.forget,
        warehouse.purge,
        lambda at: warehouse.write(at, b"{}"),
    ):
        with pytest.raises(Outside):
            act(location)


@pytest.mark.parametrize(
    "root", ["s3://", "s3:///lake", "s3://Bucket/lake", "s3://b*/lake", "s3://bucket/../lake"]
)
def test_a_root_that_is_no_place_in_a_bucket_is_refused(root):
    with pytest.raises(Outside, match="s3://bucket/path"):
        ObjectWarehouse(root)


def test_a_key_that_no_object_can_have_is_refused():
    with pytest.raises(Unwritable, match="longer than the key"):
        ObjectWarehouse(ROOT).write(f"{ROOT}/{'ü' * 600}", b"{}")


def test_no_representation_shows_a_key():
    warehouse = ObjectWarehouse(
        ROOT, keys=Keys("id", SECRET), region="eu-central-1", endpoint="http://127.0.0.1:1"
    )

    assert SECRET not in repr(vars(warehouse))


@pytest.mark.parametrize(
    "spelled",
    ["s3a://bucket/lake/t", "s3://bucket/lake/t/", "s3://bucket//lake/t", "s3n://bucket/lake/./t"],
)
def test_spellings_of_a_location_have_one_place(spelled):
    warehouse = ObjectWarehouse(ROOT)

    assert warehouse.places(spelled) == warehouse.places("s3://bucket/lake/t")


def test_percent_escape_has_a_place_for_each_interpretation():
    warehouse = ObjectWarehouse(ROOT)

    assert warehouse.places("s3://bucket/lake/%74") == (
        *warehouse.places("s3://bucket/lake/%2574")[1:],
        *warehouse.places(f"{ROOT}/t"),
    )


class Bucket:
    """The part of S3 that lists and removes objects."""

    def __init__(self, *keys: str) -> None:
        self.keys = set(keys)

    def __call__(self, method: str, target: str, body: bytes):
        parts = urlsplit(target)
        query = parse_qs(parts.query, keep_blank_values=True)
        key = unquote(parts.path).partition("/bucket")[2].strip("/")
        if method == "GET" and "list-type" in query:
            found = sorted(one for one in self.keys if one.startswith(query.get("prefix", [""])[0]))
            content = "".join(
                f"<Contents><Key>{one}</Key><Size>1</Size></Contents>" for one in found
            )
            return self.xml(
                f"<ListBucketResult><KeyCount>{len(found)}</KeyCount><IsTruncated>false</IsTruncated>{content}</ListBucketResult>"
            )
        if method == "POST":
            self.keys -= set(re.findall("<Key>(.*?)</Key>", body.decode()))
            return self.xml("<DeleteResult></DeleteResult>")
        if method == "DELETE":
            self.keys.discard(key)
            return 204, {}, b""
        return (200 if method == "PUT" or key in self.keys else 404), {}, b""

    @staticmethod
    def xml(text: str):
        return 200, {"Content-Type": "application/xml"}, text.encode()


def test_purge_of_a_keeps_ab():
    beside = {"lake/ab/1", "lake/a-b", "lake/a b/1"}
    bucket = Bucket("lake/a/1", "lake/a/data/2", *beside)
    with miniature(bucket) as url:
        ObjectWarehouse(ROOT, keys=Keys("id", SECRET), region="eu-central-1", endpoint=url).purge(
            f"{ROOT}/a"
        )

    assert {key for key in bucket.keys if not key.endswith("/")} == beside
