"""Requests to an S3 store that callers want to be signed: the objects that each one reads or
writes.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from xml.etree.ElementTree import Element

READING = frozenset({"GET", "HEAD"})
#: Without characters that servers read in several ways: `+` as a space, `;` as `&` or as the begin
#: of a parameter, a backslash as a slash.
_URI = re.compile(r"(?:(?![#+;\\])[!-~])+")
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  #: of a header
_VALUE = re.compile("[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*")
_CHECKSUM = re.compile(r"x-amz-checksum-[a-z0-9]+")
_HASH = re.compile(r"[0-9a-fA-F]{64}|UNSIGNED-PAYLOAD|STREAMING-[A-Z0-9-]+")
_DECLARATION = re.compile(
    r"""<\?xml version=["']1\.0["']( encoding=["'](?i:utf-8)["'])?( standalone=["'](yes|no)["'])?\s*\?>\s*"""
)
_NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"
_MOST_ENCODINGS = 4  #: of one character of a path

#: By method, for objects: the parameters that keep a request one that reads, writes or deletes the
#: object.
_OF_OBJECTS: Mapping[str, frozenset[str]] = {
    "GET": frozenset({"x-id", "versionId", "partNumber"}),
    "HEAD": frozenset({"x-id", "versionId", "partNumber"}),
    "PUT": frozenset({"x-id", "uploadId", "partNumber"}),
    "POST": frozenset({"x-id", "uploads", "uploadId"}),
    "DELETE": frozenset({"x-id", "uploadId", "versionId"}),
}
_OF_LISTINGS = frozenset(
    {
        *("x-id", "list-type", "prefix", "delimiter", "encoding-type", "max-keys"),
        *("continuation-token", "start-after", "marker", "fetch-owner"),
    }
)
_OF_BULK_DELETES = frozenset({"x-id", "delete"})
_OF_DELETED = frozenset(
    {"Key", "VersionId", "ETag", "LastModifiedTime", "Size"}
)  #: elements of an object to delete
#: Headers of S3 that change nothing but how an object is sent and kept. Others name a further
#: object to copy, or give rights.
_HARMLESS = re.compile(
    r"x-amz-(date|content-sha256|decoded-content-length|trailer|te|user-agent|request-payer|expected-bucket-owner|storage-class"
    r"|checksum-.+|sdk-.+|meta-.+|server-side-encryption.*|mp-object-size)"
)
_PAYLOAD = "x-amz-content-sha256"
_UNSIGNED, _IN_PARTS = "UNSIGNED-PAYLOAD", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"


class Unsigned(ValueError):
    """A request that is not signed, whoever asks; the message says why."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket and how its store is addressed.

    Args:
        name: its name.
        region: its region.
        endpoint: the address of the store; None for that of AWS.
        in_path: whether the bucket stands in the path alone: to such a store, a bucket in the host
            makes the first folder a bucket.
    """

    name: str
    region: str
    endpoint: str | None = None
    in_path: bool = False

    def path_in(self, uri: str) -> str:
        """Return the path in this bucket that a URI addresses, as it stands there, without its
        first slash.

        Raises:
            Unsigned: the URI is of another store or bucket.
        """
        parts = urlsplit(uri)
        own = urlsplit(self.endpoint or f"https://s3.{self.region}.amazonaws.com")
        hosts = {own.netloc.lower(), *(() if self.endpoint else self._of_aws())}
        host = parts.netloc.lower()
        if parts.scheme == own.scheme:
            if host in hosts:
                bucket, _, path = parts.path.removeprefix("/").partition("/")
                if bucket == self.name:
                    return path
            elif not self.in_path and host in {f"{self.name}.{parent}" for parent in hosts}:
                return parts.path.removeprefix("/")
        raise Unsigned(
            f"{uri[:200]!r} is not of the bucket {self.name} at {own.scheme}://{own.netloc}"
        )

    def _of_aws(self) -> tuple[str, ...]:
        suffix = "amazonaws.com.cn" if self.region.startswith("cn-") else "amazonaws.com"
        others = ("s3.amazonaws.com",) if self.region == "us-east-1" else ()
        return (f"s3.{self.region}.{suffix}", f"s3.dualstack.{self.region}.{suffix}", *others)


@dataclass(frozen=True, slots=True)
class StorageRequest:
    """A request to a bucket.

    Args:
        locations: of all objects that it reads or writes; a listing names one that stands for all
            of its objects.
        headers: the headers to sign.
        payload: the hash of the body, or what stands for it.
    """

    locations: tuple[str, ...]
    headers: Mapping[str, str]
    payload: str


def storage_request(request: Mapping[str, Any], bucket: Bucket) -> StorageRequest:
    """Return what a request does, as the contract describes it.

    Raises:
        Unsigned: it does something else than reading, writing, listing or deleting objects of the
            bucket.
    """
    if request.get("provider") not in {None, "s3"}:
        raise Unsigned(
            f"the provider is {request['provider'][:100]!r}, and the tables of this warehouse are"
            " in s3"
        )
    if request["region"] != bucket.region:
        raise Unsigned(
            f"the region is {request['region'][:100]!r}, and that of the bucket is {bucket.region}"
        )
    uri, method = request["uri"], request["method"]
    if not _URI.fullmatch(uri):
        raise Unsigned("the URI is not one that can be sent as it is")
    path = _key(bucket.path_in(uri))
    query = _query(urlsplit(uri).query)
    headers = _headers(request["headers"], urlsplit(uri).netloc)
    if path:
        _check_query(query, _OF_OBJECTS.get(method, None), f"{method} of an object")
        if method == "POST" and not {"uploads", "uploadId"} & query.keys():
            raise Unsigned("POST of an object is signed for uploads in parts alone")
        keys: tuple[str, ...] = (path,)
    elif method == "GET":
        _check_query(query, _OF_LISTINGS, "a listing")
        # Every object whose key begins with the prefix is listed: also those beside a folder that
        # begin like it.
        keys = (f"{_safe_key(query['prefix'])}*" if query.get("prefix") else "",)
    elif method == "POST" and "delete" in query:
        _check_query(query, _OF_BULK_DELETES, "a deletion of several objects")
        return _deletion(request.get("body"), headers, bucket)
    else:
        raise Unsigned(f"{method} of a whole bucket is not signed")
    payload = headers.pop(_PAYLOAD, None) or (
        _IN_PARTS if "x-amz-trailer" in headers else _UNSIGNED
    )
    return StorageRequest(tuple(f"s3://{bucket.name}/{key}" for key in keys), headers, payload)


def _deletion(body: str | None, headers: dict[str, str], bucket: Bucket) -> StorageRequest:
    if not body:
        raise Unsigned("to delete several objects, `body` must show which")
    payload = hashlib.sha256(body.encode()).hexdigest()
    if headers.pop(_PAYLOAD, payload) != payload:
        raise Unsigned(f"`{_PAYLOAD}` is not the hash of `body`: another body could be sent")
    return StorageRequest(
        tuple(f"s3://{bucket.name}/{key}" for key in _keys_to_delete(body)), headers, payload
    )


def _keys_to_delete(body: str) -> Iterable[str]:
    """Yield the keys in the body of a deletion of several objects."""
    # Every server would start later for it, and few callers delete several objects at once.
    from xml.etree import ElementTree as ET  # noqa: PLC0415

    declaration = _DECLARATION.match(body)
    text = body[declaration.end() :] if declaration else body
    try:
        root = ET.fromstring(text if "<!" not in text and "<?" not in text else "")  # noqa: S314 - there are no entities
    except ET.ParseError:
        raise Unsigned("`body` is not the XML of a deletion") from None
    namespace = root.tag.removesuffix("Delete")
    if namespace not in {"", _NAMESPACE}:
        raise Unsigned("`body` is not the XML of a deletion in S3")
    members = _members(root, namespace, {"Object", "Quiet"})
    objects = [
        _members(child, namespace, _OF_DELETED) for name, child in members if name == "Object"
    ]
    values = [child for name, child in members if name == "Quiet"]
    if not objects or len(values) > 1:
        raise Unsigned("`body` does not name the objects of a deletion")
    for one in objects:
        keys = [child.text or "" for name, child in one if name == "Key"]
        values += [child for _, child in one]
        if (
            len(keys) != 1
            or not keys[0].strip()
            or keys[0] != keys[0].strip()
            or len(dict(one)) < len(one)
        ):
            raise Unsigned("`body` has an object without a key, or with a member twice")
        yield _safe_key(keys[0])
    if any(len(value) or value.attrib for value in values):
        raise Unsigned("`body` has a value with elements or attributes inside")


def _members(element: Element, namespace: str, names: Collection[str]) -> list[tuple[str, Element]]:
    """Return the elements inside another one, with their names; nothing but known ones may be
    there.
    """
    members = [(child.tag.removeprefix(namespace), child) for child in element]
    texts = [element.text, *(child.tail for child in element)]
    are_valid = all(name in names and child.tag == f"{namespace}{name}" for name, child in members)
    if element.attrib or not are_valid or any(text and text.strip() for text in texts):
        raise Unsigned("`body` holds something else than the objects of a deletion")
    return members


def _key(text: str) -> str:
    try:
        return _safe_key(unquote(text, errors="strict"))
    except UnicodeDecodeError:
        raise Unsigned("the URI is not UTF-8") from None


def _safe_key(key: str) -> str:
    """Return a key in which no store or proxy could read another path."""
    texts = [key]
    for _ in range(_MOST_ENCODINGS):
        texts.append(unquote(texts[-1]))
    steps = [step.partition(";")[0] for text in texts for step in re.split(r"[/\\]", text) if step]
    is_plain = key.isprintable() and not {"\\", ";"} & set(key) and "" not in key.split("/")[:-1]
    if not is_plain or texts[-1] != texts[-2] or any(not step.strip(" .") for step in steps):
        raise Unsigned(f"{key[:200]!r} is a path that can be read as another one")
    return key


def _query(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split("&") if part]
    query = {unquote(name): unquote(value) for name, _, value in pairs}
    if len(query) != len(pairs) or not "".join(query.values()).isprintable():
        raise Unsigned("a parameter of the query stands there twice, or holds a control character")
    return query


def _check_query(query: Mapping[str, str], names: frozenset[str] | None, what: str) -> None:
    if names is None:
        raise Unsigned(f"{what} is not signed")
    further = sorted(query.keys() - names)
    if further:
        raise Unsigned(
            f"{what} is not signed with the parameter {further[0][:100]!r}, which may make another"
            " request of it"
        )


def _headers(headers: Mapping[str, Iterable[str]], host: str) -> dict[str, str]:
    """Return the headers that have to be signed: those of S3."""
    result: dict[str, str] = {}
    for raw_name, values in headers.items():
        name, value = raw_name.lower(), ",".join(values)
        if not _NAME.fullmatch(raw_name) or not _VALUE.fullmatch(value):
            raise Unsigned("a header holds a character that HTTP does not allow there")
        if name == "host" and value.lower() != host.lower():
            raise Unsigned("the header Host is not that of the URI")
        if name.startswith("x-amz-") and not _HARMLESS.fullmatch(name):
            raise Unsigned(f"requests with the header {raw_name[:100]!r} are not signed")
        if name.startswith("x-amz-") and name != "x-amz-date":
            if name in result:
                raise Unsigned(f"the header {raw_name[:100]!r} stands there twice")
            result[name] = value
    if not _HASH.fullmatch(result.get(_PAYLOAD, _UNSIGNED)):
        raise Unsigned(f"`{_PAYLOAD}` is not a hash of a body")
    if "x-amz-trailer" in result and not _CHECKSUM.fullmatch(result["x-amz-trailer"].lower()):
        raise Unsigned("the header x-amz-trailer announces something else than a checksum")
    return result
