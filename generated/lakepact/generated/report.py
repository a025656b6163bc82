# Made by datamodel-code-generator 0.89.0 from conformance/lakepact/conformance/report/report.schema.json, sha256 0da79f8c18bc96ae. Do not edit: nox -s generate
"""The JSON documents of the contract, for type checkers alone: import this module for annotations."""

from __future__ import annotations

from typing import Any, Literal, Required, TypeAlias, TypedDict

OutcomeName: TypeAlias = str


Names: TypeAlias = list[str]


Word: TypeAlias = str


Numbers: TypeAlias = list[int]


Pairs: TypeAlias = list[tuple[str, str]]


class HeaderLine(TypedDict, total=False):
    line: Required[Literal["header"]]
    report: Required[Literal[1]]
    lakepact: Required[Word]
    contract: Required[Word]
    version: Required[Word]
    title: Required[str]
    target: Required[str]
    url: str
    profile: str
    parameters: dict[str, str]
    set_features: dict[str, bool]
    options: list[str]
    own_headers: list[str]
    side: Required[str]
    authorized: Required[bool]
    facts: Required[dict[str, str]]
    operations: Required[Names]
    all_operations: Required[int]
    features: Required[dict[str, bool]]
    only: Required[Names]
    strict: Required[bool]
    clients: dict[str, Any]
    ended: Required[str]


class Correction(TypedDict, total=False):
    id: Required[str]
    sentence: Required[str]
    effect: Required[str]


class ReplayPart(TypedDict, total=False):
    """How `lakepact reproduce` repeats the first failing case that its requests repeat."""

    exchanges: Numbers
    at: str
    schema: str
    expected: str
    every_answer: bool
    why: str


class Mutation(TypedDict, total=False):
    """The change that made a valid request invalid."""

    kind: Required[str]
    at: Required[str]
    phrase: str


class Difference(TypedDict, total=False):
    """Where the answer is not as expected; absent in reports of earlier releases."""

    at: Required[str]
    kind: Required[str]


class FailurePart(TypedDict, total=False):
    expected: Required[str]
    actual: Required[str]
    expected_status: Numbers
    refusal: Literal[True]
    mutation: Mutation
    about_status: Literal[True]
    difference: Difference
    exchange: int


class EvidenceItem(TypedDict, total=False):
    requirement: Required[Word]
    expected: Required[str]
    actual: Required[str]
    exchange: int
    check: str
    exchanges: Numbers
    replay: ReplayPart


class CauseLine(TypedDict, total=False):
    """One cause of failures; causes are listed gravest first."""

    line: Required[Literal["cause"]]
    number: Required[int]
    severity: Required[str]
    outcome: Required[OutcomeName]
    title: Required[str]
    requirements: Required[list[str]]
    clients: dict[str, Any]
    evidence: list[EvidenceItem]


class Finding(TypedDict, total=False):
    task: Required[str]
    outcome: Required[str]
    detail: Required[str]
    exchange: int
    cause: int


class ClientLine(TypedDict, total=False):
    """A client that performed everyday tasks on the target."""

    line: Required[Literal["client"]]
    client: Required[str]
    outcome: str
    reason: str
    tasks: Required[int]
    findings: Required[list[Finding]]


class Error(TypedDict, total=False):
    """What the whole body of an answer with an error status says."""

    type: str
    message: Required[str]


class Bytes(TypedDict, total=False):
    """The body, if it is no text."""

    base64: Required[str]


class Request(TypedDict, total=False):
    method: Required[str]
    url: Required[str]
    headers: Required[Pairs]
    body: Required[str]
    bytes: Bytes


class Response(TypedDict, total=False):
    status: Required[int]
    headers: Required[Pairs]
    body: Required[str]


class ExchangeLine(TypedDict, total=False):
    """A request and its answer, redacted, of a verdict that is no pass."""

    line: Required[Literal["exchange"]]
    number: Required[int]
    check: Required[str]
    operation: Required[str | None]
    objects: Names
    error: Error
    request: Required[Request]
    response: Required[Response]
    curl: Required[str]
    milliseconds: Required[float]
    sent_at: int
    concurrent: Literal[True]
    refused: int
    needed: bool


class FooterLine(TypedDict, total=False):
    line: Required[Literal["footer"]]
    counts: Required[dict[OutcomeName, int]]
    planned: int
    causes: dict[str, int]
    requests: Required[int]
    checks: Required[int]
    invariants: Required[int]
    verdict: Required[str]
    exit_code: Required[int]
    seconds: Required[float]
    leftovers: Required[Names]
    stopped: str


class VerdictPart(TypedDict, total=False):
    """The verdict of one check."""

    check: Required[str]
    outcome: Required[OutcomeName]
    judged: Required[int]
    failed: int
    expected: str
    actual: str
    remark: str
    exchanges: Numbers
    failures: list[FailurePart]
    replay: ReplayPart


class ResultLine(TypedDict, total=False):
    """One requirement."""

    line: Required[Literal["result"]]
    requirement: Required[Word]
    outcome: Required[OutcomeName]
    level: Required[str]
    area: Required[str]
    risk: str | None
    operations: Required[Names]
    sentence: Required[str]
    clause: Required[str]
    basis: Required[str | None]
    interpretation: Required[str | None]
    corrections: Required[list[Correction]]
    cause: int
    verdicts: Required[list[VerdictPart]]


Line: TypeAlias = HeaderLine | ResultLine | CauseLine | ClientLine | ExchangeLine | FooterLine
