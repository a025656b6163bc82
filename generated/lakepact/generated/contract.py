# Made by codegen.generate from specs/codegen/templates/contract.py, sha256 0481ada6f6ed9ba0. Do not edit: nox -s generate
"""A contract as code: operations, answers, requirements, features and corrections, as frozen
values.

Every package of lakepact reads these tables; none of them parses the contract.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, NewType, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from importlib.resources.abc import Traversable

T = TypeVar("T")
OperationId = NewType(
    "OperationId", str
)  #: an operationId of a contract; its constants are in the module `op`


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation."""

    name: str  #: as it stands on the wire
    argument: str  #: the same as a Python name
    where: Literal["path", "query", "header"]
    required: bool
    schema: Mapping[str, Any]  #: its JSON Schema, references resolved
    many: bool = False  #: a comma separated list of values


@dataclass(frozen=True, slots=True)
class Answer:
    """One documented answer of an operation."""

    status: str  #: "200", "404", "5XX"
    schema: str | None  #: name of the component schema of the body, or of each line of it
    media_type: str | None
    headers: tuple[str, ...] = ()  #: documented response headers
    errors: tuple[str, ...] = ()  #: error types that the contract names for this status
    lines: bool = False  #: the body is a sequence of documents, one a line
    also: tuple[str, ...] = ()  #: further media types that the same body may come in


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a contract."""

    id: OperationId
    function: str  #: the same as a Python name
    method: str
    path: str  #: path template, as the contract writes it
    parameters: tuple[Parameter, ...]
    body: str | None  #: name of the component schema of the request body
    body_media_type: str | None
    body_required: bool
    success: int  #: the documented 2xx status
    answers: Mapping[str, Answer]
    tags: tuple[str, ...] = ()
    deprecated: bool = False

    def answer(self, status: int) -> Answer | None:
        """Return the documented answer for `status`, exact before range (`5XX`)."""
        return self.answers.get(str(status)) or self.answers.get(f"{status // 100}XX")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that the contract demands, as a sentence that can be observed to hold or not."""

    id: str
    level: Literal["MUST", "SHOULD", "MAY"]
    sentence: str
    #: JSON pointer into the contract document, or anchor (`#…`) of a heading of the prose that it
    #: is read from
    clause: str
    basis: Literal["text", "schema", "implied", "our-interpretation"]
    area: str
    operations: tuple[str, ...] = ()  #: empty: all of them
    features: tuple[str, ...] = ()
    side: Literal["server", "client"] = "server"
    risk: Literal["behaviour", "data", "exposed"] = (
        "behaviour"  #: what may be lost where it is broken
    )
    interpretation: str = (
        ""  #: where the contract is ambiguous: the id of our ruling and what it says
    )
    corrections: tuple[str, ...] = ()  #: overlay corrections that a verdict rests on
    uncovered: str = ""  #: why no check judges it
    difference: str = ""  #: of a profile: the difference that it follows from


@dataclass(frozen=True, slots=True)
class Feature:
    """An optional behaviour that a target may declare."""

    name: str
    sentence: str
    default: bool


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction of the contract, from its overlay."""

    id: str
    sentence: str
    why: str
    effect: Literal[
        "none", "corrects", "widens", "narrows"
    ]  #: on verdicts; what narrows is never a failure on its own
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of a profile from its base contract."""

    id: str
    sentence: str
    taken: str  #: what follows from it
    without: tuple[str, ...] = ()  #: requirements of that contract that do not hold


@dataclass(frozen=True, slots=True)
class Prose:
    """The document that a contract is read from, where its authors wrote no other."""

    name: str
    address: str
    headings: Mapping[str, str]  #: by anchor


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One call of an operation, ready to be sent, with the types of its answers."""

    operation: str
    method: str
    path: str  #: percent-encoded, below the base address
    query: tuple[tuple[str, str], ...]
    headers: tuple[tuple[str, str], ...]
    content: bytes | None
    answers: Mapping[
        str, Any
    ]  #: by status ("200", "5XX"): the model of the body, or of each line of it, or None
    lines: frozenset[str] = (
        frozenset()
    )  #: the statuses whose bodies are a sequence of documents, one a line


class UnknownVersion(ValueError):
    """No tables of a version of a contract exist; the message lists the versions that have some."""


class Contract:
    """The generated tables of one contract, loaded when they are first asked for.

    Args:
        name: its name.
        version: one of its versions; the one that has models and endpoints if none is named.

    Raises:
        UnknownVersion: there are no tables of that version.
    """

    def __init__(self, name: str, version: str | None = None) -> None:
        self.name = name
        self._package = f"lakepact.generated.{name}"
        if version is not None and version not in self.versions:
            raise UnknownVersion(
                f"{name} {version} is not known; what can be served and judged is"
                f" {', '.join(self.versions)}"
            )
        if version is not None and version != self.versions[0]:
            self._package += f".versions.{version_module(version)}"
        self._version = version

    def __repr__(self) -> str:
        return f"Contract({self.name!r}, {self.version!r})"

    def _document(self, file: str) -> dict[str, Any]:
        return _document(self._package, file)

    @property
    def _facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = _manifest()[self.name]
        return facts

    @property
    def title(self) -> str:
        """The contract's own title."""
        title: str = self._facts["title"]
        return title

    @property
    def version(self) -> str:
        """The contract's version, as its folder under `specs/` is called."""
        return self._version or self.versions[0]

    @property
    def operations(self) -> Mapping[OperationId, Operation]:
        """Every operation by its id, in the contract's order."""
        return _operations(self._package)

    @property
    def requirements(self) -> Mapping[str, Requirement]:
        """Every requirement by its id."""
        return _registry(self._package).requirements

    @property
    def features(self) -> Mapping[str, Feature]:
        """Every optional behaviour by its name."""
        return _registry(self._package).features

    @property
    def corrections(self) -> Mapping[str, Correction]:
        """Every correction of the contract by its id."""
        return _registry(self._package).corrections

    @property
    def differences(self) -> Mapping[str, Difference]:
        """The differences of a profile from its base contract, by id; empty for other contracts."""
        return _registry(self._package).differences

    @cached_property
    def profile_of(self) -> str | None:
        """The name of the contract that this one is a profile of, if it is one: it demands the
        same, but for its differences.
        """
        name: str | None = self._facts.get("profile of")
        return name

    @property
    def prose(self) -> Prose | None:
        """The prose that the contract is read from; none where its authors wrote the document
        itself.
        """
        return _registry(self._package).prose

    def place(self, clause: str) -> str:
        """Return the place of a clause for people: file, path in it, and heading."""
        if self.prose is not None and clause.startswith("#"):
            return f"{self.prose.name}{clause} ({self.prose.headings[clause[1:]]})"
        return f"{f'{self.profile_of} ' if self.profile_of else ''}openapi.yaml#{clause}"

    @cached_property
    def bundle(self) -> dict[str, Any]:
        """The normative OpenAPI 3.1 document: the contract with its corrections applied."""
        return self._document("bundle.json")

    @cached_property
    def schemas(self) -> dict[str, Any]:
        """The component schemas of the normative document as `{"components": {"schemas": …}}`, in
        the form to compile validators from.

        They judge as those of the bundle do, but choose an alternative before they look into it, so
        that an error says what is wrong.
        """
        return self._document("schemas.json")

    @cached_property
    def other_versions(self) -> tuple[str, ...]:
        """Versions of the contract that are known beside its main one."""
        return tuple(self._facts.get("beside", ()))

    @cached_property
    def versions(self) -> tuple[str, ...]:
        """Versions of the contract that can be served and judged, the main one first."""
        return (self._facts["version"], *self._facts.get("tables", ()))

    @cached_property
    def client_version(self) -> str:
        """The version that models, endpoints and the client are of; it adds to the main version."""
        version: str = self._facts.get("models", self._facts["version"])
        return version

    def difference(self, version: str, *, since: str | None = None) -> dict[str, Any]:
        """Return the differences of another version: operations, schemas, requirements, features.

        Args:
            version: one of `other_versions`.
            since: the version that it adds to; by default the main one.
        """
        name = version if since in {None, self.versions[0]} else f"{since}-{version}"
        return _document(f"lakepact.generated.{self.name}", f"versions/{name}.json")

    @cached_property
    def routing(self) -> dict[str, Any]:
        """The OpenAPI 3.0 view that connexion reads: paths and parameters only."""
        return self._document("routing.json")

    @cached_property
    def routes(self) -> tuple[tuple[str, str, OperationId], ...]:
        """Method, path and operation id of every route, as connexion makes them of the routing."""
        return tuple(
            (method, path, operation)
            for method, path, operation in self._document("plan.json")["routes"]
        )


@dataclass(frozen=True, slots=True)
class _Registry:
    """Everything that people wrote about a contract beyond the contract itself."""

    requirements: Mapping[str, Requirement]
    features: Mapping[str, Feature]
    corrections: Mapping[str, Correction]
    differences: Mapping[str, Difference]
    prose: Prose | None


@cache
def _registry(package: str) -> _Registry:
    """Return the registry of a contract; a version or profile holds what it changes, and extends
    another one.
    """
    document = _document(package, "requirements.json")
    base_requirements = _registry(document["extends"]).requirements if document["extends"] else {}
    return _Registry(
        {i: r for i, r in base_requirements.items() if i not in document["without"]}
        | _values(Requirement, document["requirements"], key="id"),
        _values(Feature, document["features"], key="name"),
        _values(Correction, document["corrections"], key="id"),
        _values(Difference, document["differences"], key="id"),
        Prose(**document["prose"]) if document["prose"] else None,
    )


@cache
def _operations(package: str) -> Mapping[OperationId, Operation]:
    """Return the operations of a contract by their ids."""
    entries = _document(package, "operations.json")["operations"]
    for entry in entries:
        entry["parameters"] = [*_values(Parameter, entry["parameters"], key="name").values()]
        entry["answers"] = _values(Answer, entry["answers"].values(), key="status")
    return {
        OperationId(i): operation for i, operation in _values(Operation, entries, key="id").items()
    }


def _values(kind: type[T], entries: Iterable[dict[str, Any]], *, key: str) -> dict[str, T]:
    """Return the entries of a document as values, by their key; lists become tuples."""
    return {
        entry[key]: kind(
            **{name: tuple(m) if isinstance(m, list) else m for name, m in entry.items()}
        )
        for entry in entries
    }


def _document(package: str, file: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(_folder(package).joinpath(file).read_bytes())
    return document


def _folder(package: str) -> Traversable:
    from importlib import resources  # noqa: PLC0415 - it takes a tenth of the time to import a client

    return resources.files(package)


def version_module(version: str) -> str:
    """Return the package name of a version of a contract."""
    return f"v{version.replace('.', '_').replace('-', '_')}"


def contracts() -> tuple[str, ...]:
    """Return names of the contracts that this installation holds; the first is meant where none is
    named.
    """
    return tuple(_manifest())


@cache
def _manifest() -> dict[str, Any]:
    """Return the facts about each contract by its name."""
    facts: dict[str, Any] = _document("lakepact.generated", "MANIFEST.json")["contracts"]
    return facts


@cache
def client_contract(name: str) -> Contract:
    """Return a contract in the version that models, endpoints and the client are of."""
    return Contract(name, Contract(name).client_version)
