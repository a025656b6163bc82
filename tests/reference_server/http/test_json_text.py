"""Strict reading of JSON bodies, with a message that names the place and the mistake."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.reference_server.http.json_text import MAX_DEPTH, NotJson, count_values, read_json

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=20,
)


def complaint(raw: bytes) -> str:
    with pytest.raises(NotJson) as caught:
        read_json(raw)
    return str(caught.value)


@given(documents)
def test_every_document_is_read_as_it_was_written(document: Any) -> None:
    assert read_json(orjson.dumps(document)) == document


@given(documents)
def test_escapes_make_no_difference(document: Any) -> None:
    assert read_json(json.dumps(document, ensure_ascii=True).encode()) == document


@given(st.dictionaries(texts, texts, min_size=1), st.data())
def test_a_member_that_is_given_twice_is_refused_however_it_is_spelled(
    document: dict[str, str], data: st.DataObject
) -> None:
    again = data.draw(st.sampled_from(sorted(document)))
    spelled = (
        "".join(f"\\u{ord(c):04x}" if ord(c) < 0x10000 else c for c in again)
        if data.draw(st.booleans())
        else json.dumps(again)[1:-1]
    )
    members = [f"{json.dumps(name)}:{json.dumps(value)}" for name, value in document.items()]
    raw = "{" + ",".join([*members, f'"{spelled}":"\\u0022"']) + "}"

    assert f"the member {again!r} is given twice" in complaint(raw.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", "the body is empty, but JSON is required"),
        (b'{"namespace":[', "the body is not JSON: unexpected end of data at line 1 column 15"),
        (b'{"a":NaN}', "the body is not JSON: NaN at line 1 column 6 is not a JSON number"),
        (
            b'{"a":Infinity}',
            "the body is not JSON: Infinity at line 1 column 6 is not a JSON number",
        ),
        (
            b'{"a":-Infinity}',
            "the body is not JSON: Infinity at line 1 column 7 is not a JSON number",
        ),
        (b'{"a":"\xff"}', "the body is not UTF-8: byte 6 is 0xff"),
        (b'{"a":{"b":1,"b":2}}', "at /a: the member 'b' is given twice"),
        (b'{"a":[{"b":1,"b":2}]}', "at /a/0: the member 'b' is given twice"),
        (b'{"a":1,"a":2}', "at the top: the member 'a' is given twice"),
        (b'{"a":["\\u0000"]}', "at /a/0: the text contains U+0000"),
        (b'{"a\\u0000":1}', "at the top: the name of the member 'a\\x00' contains U+0000"),
        (
            b"[" * 10_000 + b"]" * 10_000,
            f"the body nests arrays and objects more than {MAX_DEPTH} deep",
        ),
        (
            b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1),
            f"the body nests arrays and objects more than {MAX_DEPTH} deep",
        ),
    ],
)
def test_invalid_body_is_reported_with_its_place(raw: bytes, expected: str) -> None:
    assert complaint(raw) == expected


@pytest.mark.parametrize(
    "raw",
    [
        b'"\\ud800"',
        b"[1e400]",
        b"[01]",
        b"[1,]",
        b'["a\x00"]',
        b"\xef\xbb\xbf{}",
        b"{'a':1}",
        b"nul",
        b"1 2",
    ],
)
def test_text_that_is_not_json_is_refused(raw: bytes) -> None:
    assert complaint(raw).startswith("the body is not JSON: ")


def test_nesting_up_to_the_limit_is_read() -> None:
    assert (
        orjson.dumps(read_json(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH))
        == b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    )


def values_of(document: Any) -> int:
    inner = (
        document.values()
        if isinstance(document, dict)
        else document
        if isinstance(document, list)
        else ()
    )
    return 1 + sum(map(values_of, inner))


@given(documents)
def test_no_document_has_more_values_than_are_counted(document: Any) -> None:
    assert values_of(document) <= count_values(orjson.dumps(document))
