"""Entity tags of tables, and their comparison with those that clients send."""

from __future__ import annotations

from hashlib import blake2b

from lakepact.reference_server.storage.store import Record


def tag_of(body: bytes) -> bytes:
    """Return the tag of a table that is sent as `body`."""
    return b'"%s"' % blake2b(body, digest_size=12).hexdigest().encode()


def tag_of_file(location: str) -> bytes:
    """Return the tag of a table whose metadata file this server has named: it gives each name once,
    so that no other state has it.
    """
    return b'"%s"' % location.rpartition("/")[2].removesuffix(".metadata.json").encode()


def tag_of_representation(record: Record, snapshots: str) -> bytes:
    """Return the tag of a table as it is loaded with all snapshots or with those of refs; empty if
    it has none.
    """
    return (
        record.tag
        if snapshots == "all" or not record.tag
        else b'%s-%s"' % (record.tag[:-1], snapshots.encode())
    )


def matches(header: str, tag: bytes) -> bool:
    """Return whether a tag is among those of an If-None-Match header, weak or strong; what has no
    quotes is no tag, and `*` is any.

    Tags of this server hold no commas, and no tag holds quotes, so that the header may be cut at
    every comma.
    """
    own = tag.decode()
    return any(
        one.strip(" \t").removeprefix("W/") == own or one.strip(" \t") == "*"
        for one in header.split(",")
    )


def no_tag(record: Record, snapshots: str) -> bytes:  # noqa: ARG001 - in the place of `tag_of_representation`
    """Return no tag, for a contract without tags."""
    return b""
