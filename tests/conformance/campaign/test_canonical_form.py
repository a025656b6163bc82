"""Exchanges with an equal canonical form are checked once, with the same verdicts."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns import Here, few_cases, ran
from faulty import mutants
from lakepact.conformance.arrow import pa
from lakepact.conformance.campaign import tables
from lakepact.conformance.campaign.judging import canonical_form, grouped
from lakepact.conformance.campaign.judging.verdicts import judged
from lakepact.reference_server.running import running as serving

FAULTS = ("creation-is-201", "drops-answer-200", "error-code-always-400", "camel-case")

uuids = st.uuids().map(lambda uuid: str(uuid).encode())
names = st.sampled_from([b"lp_0a1b2c0_1_", b"lp_0a1b2c0_12_", b"lp_0a1b2c0rr_1_"])
times = st.integers(1_500_000_000_000, 1_900_000_000_000).map(lambda time: b'"a-ms":%d' % time)
contents = st.lists(uuids | names | times | st.sampled_from([b"/", b"-", b'{"', b"abc-0123-"]) | st.binary(max_size=4), max_size=12).map(
    b" ".join
)


@pytest.fixture(scope="module")
def exchanges(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return all exchanges with two servers, one of them faulty."""
    folder = tmp_path_factory.mktemp("alike")
    with serving(warehouse="memory:") as good, serving(warehouse="memory:", faults=mutants(FAULTS)) as bad:
        run = ran(few_cases(folder / "plan"), folder / "run", Here(), f"good={good.url}", f"bad={bad.url}", chunk=1000)
    return tables.read(run / "exchanges", tables.EXCHANGES)


def test_grouped_verdicts_equal_single_verdicts(exchanges: Any) -> None:
    rows = exchanges.to_pylist()
    features = {"bad": {"views": False}}
    expected = [judged(row, features) for row in rows]
    judges = grouped.Judges(features)
    found = [judges.said(exchanges.slice(start, 37)) for start in range(0, len(rows), 37)]
    results = [row for said, _, _ in found for row in said.cast(tables.RESULTS).to_pylist()]
    answers = [row for _, answered, _ in found for row in answered.to_pylist()]

    assert [row for verdicts, _ in expected for row in verdicts] == results
    assert [answer for _, answer in expected] == answers


def test_exchanges_that_differ_only_in_names_are_judged_once(exchanges: Any) -> None:
    judges = grouped.Judges({})
    judges.said(exchanges)
    before = judges.judged
    other = exchanges.to_pylist()
    for row in other:
        row["url"] = renamed((row["url"] or "").encode()).decode()
        row |= {column: renamed(row[column] or b"") for column in ("request_body", "response_body")}
    judges.said(tables.table_of(other, tables.EXCHANGES))

    assert judges.judged == before


def test_equal_answers_of_another_target_are_judged_once(exchanges: Any) -> None:
    judges = grouped.Judges({})
    judges.said(exchanges)
    before = judges.judged
    elsewhere = exchanges.to_pylist()
    for row in elsewhere:
        row["url"] = re.sub("//[^/]+", "//elsewhere:1", row["url"])
    judges.said(tables.table_of(elsewhere, tables.EXCHANGES))

    assert judges.judged == before


def test_exchanges_that_differ_only_in_wording_are_judged_once(exchanges: Any) -> None:
    judges = grouped.Judges({})
    judges.said(exchanges)
    before = judges.judged
    judges.said(tables.table_of([other_words(row) for row in exchanges.to_pylist()], tables.EXCHANGES))

    assert judges.judged == before


def test_invariants_give_the_same_verdicts_for_other_wording(exchanges: Any) -> None:
    rows = [row for row in exchanges.to_pylist() if canonical_form.without_words(row["response_body"] or b"")[1]]
    expected = [[(r["check_id"], r["requirement_id"], r["verdict"]) for r in judged(row)[0]] for row in rows]

    assert rows
    assert expected == [[(r["check_id"], r["requirement_id"], r["verdict"]) for r in judged(other_words(row))[0]] for row in rows]


def other_words(row: dict[str, Any]) -> dict[str, Any]:
    """Return the exchange with other texts, and with content lengths that match."""
    numbered, words = canonical_form.without_words(row["response_body"] or b"")
    spelled = rb"{},.:-1 null \" metadata format-version "
    body = canonical_form.WORDED.sub(lambda met: b'"%b%b"' % (spelled, met[1]), numbered) if words else row["response_body"]
    lengths = {str(len(row["response_body"] or b"")): str(len(body or b""))}
    headers = [{**h, "value": lengths.get(h["value"], h["value"])} for h in row["response_headers"] or ()]
    return {**row, "response_body": body, "response_headers": headers}


@pytest.mark.parametrize("worded", [b'{"message":"%b"}', b'{"error": {"message": "%b"}}', b'{"properties":{"a.b":"1","note":"%b"},"c":1}'])
def test_documents_that_differ_only_in_wording_have_an_equal_form(worded: bytes) -> None:
    one, other = (
        canonical_form.without_words(worded % words)[0] for words in (b"no such table", b'another \\"one\\" \xc3\xa4 \xf0\x9f\xa7\x8a')
    )

    assert one == other


@pytest.mark.parametrize(
    "kept",
    [
        b'{"type":"%b"}',
        b'{"properties":{"write.format.default":"%b"}}',
        b'{"properties":{"location":"s3://%b"}}',
        b'{"properties":{"a":1},"b":"%b"}',
        b'{"properties":{"a":{"b":"%b"}}}',
        b'{"a":"\\"message\\":\\"%b\\""}',
        b'{"message":["%b"]}',
        b'{"message":"\xe4%b"}',
        b'{"message":"\xed\xa0\x80%b"}',
        b'{"message":"%b","secret":"<sent-by-us>"}',
        b'{"properties":{"a":"' + b"long" * 300 + b'%b"}}',
    ],
)
def test_significant_texts_are_kept(kept: bytes) -> None:
    content = kept % b"text"

    assert (content, []) == canonical_form.without_words(content)


def test_equal_texts_get_equal_numbers() -> None:
    content, words = canonical_form.without_words(b'{"message":"a","properties":{"x":"b","y":"a"}}')

    assert (canonical_form.WORDED.findall(content), words) == ([b"0", b"1", b"0"], [b"a", b"b"])


@pytest.mark.parametrize("response", [b"Location: http://a:1/x", b'{"endpoint":"a:1"}'])
def test_answer_with_the_address_of_its_target_stays_distinct(response: bytes) -> None:
    assert canonical_form.anywhere(b"http://a:1/v1", (b"", response)) != canonical_form.anywhere(b"http://b:1/v1", (b"", response))


def test_suffixes_used_only_in_locations_are_normalized() -> None:
    one, other = (
        b'{"a":"s3://b/t-0123456789ab","b":"s3://b/t-0123456789ab/x"}',
        b'{"a":"s3://b/t-ba9876543210","b":"s3://b/t-ba9876543210/x"}',
    )

    assert canonical_form.told_apart(one) == canonical_form.told_apart(other)


@pytest.mark.parametrize("outside", [b'{"t-%b":1}', b'"t-%b"', b'"s3://t-%b":', b'"\\"s3://t-%b"'])
def test_suffixes_used_outside_locations_stay_distinct(outside: bytes) -> None:
    one, other = (b'"s3://b/t-%b" ' % added + outside % added for added in (b"0123456789ab", b"ba9876543210"))

    assert canonical_form.told_apart(one) != canonical_form.told_apart(other)


def renamed(content: bytes) -> bytes:
    """Return the content with other names of the same length."""
    others = bytes.maketrans(b"0123456789abcdef", b"1234567890fedcba")
    return re.sub(rb"(?<=lp_)[0-9a-f]+(?=r*_)|(?<=\d_)\d+(?=_)|(?<=[\da-fr]_)\d+(?=_\d)", lambda met: met[0].translate(others), content)


def test_engine_batches_carry_the_same_verdicts(exchanges: Any) -> None:
    (batch,) = pa.Table.from_batches(exchanges.slice(0, 50).combine_chunks().to_batches()).to_batches()
    rows = [row for judged_batch in grouped.judged_batches([batch], {}) for row in judged_batch.to_pylist()]

    assert [judged(row)[0] for row in batch.to_pylist()] == [row["verdicts"] for row in rows]


@given(contents)
def test_canonical_form_keeps_equality_of_names(content: bytes) -> None:
    def equalities(text: bytes) -> list[int]:
        met = re.findall(rb"lp_[0-9a-fr]+_\d+_|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", text)
        return [met.index(one) for one in met]

    assert equalities(content) == equalities(canonical_form.told_apart(content))


@given(st.lists(st.integers(1_500_000_000_000, 1_600_000_000_000), min_size=1, max_size=5))
def test_canonical_form_keeps_distances_between_times(given_times: list[int]) -> None:
    content = b",".join(b'"at-ms": %d' % time for time in given_times)
    found = [int(time) for time in re.findall(rb"\d{13}", canonical_form.told_apart(content))]

    assert [time - min(given_times) for time in given_times] == [time - min(found) for time in found]
