"""Names of a document as names of Python that are used once."""

from __future__ import annotations

import keyword
import re

from lakepact.codegen.documents import within

MOST = 20_000  #: names
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+|[0-9]+")
#: Names that the module of models imports or that its generator keeps for itself.
_TAKEN = frozenset(
    {
        *(
            "Annotated",
            "Any",
            "AnyUrl",
            "AwareDatetime",
            "BaseModel",
            "ClassVar",
            "ConfigDict",
            "Date",
            "Decimal",
            "Dict",
            "Enum",
        ),
        *(
            "Field",
            "List",
            "Literal",
            "Model",
            "None",
            "Optional",
            "RootModel",
            "Set",
            "TaggedModel",
            "True",
            "False",
            "Union",
            "UUID",
        ),
        *(
            "Self",
            "TypeAlias",
            "TypeAliasType",
            "WireModel",
            "Reply",
            "Problem",
            "Protocol",
            "Handlers",
            "Application",
            "Call",
            "Sequence",
        ),
    }
)
_FUNCTIONS = frozenset({"annotations", "call", "operations"})


class Names:
    """Gives each name once: a second one that would be equal gets a number."""

    def __init__(self, exclude: frozenset[str] = frozenset()) -> None:
        self._taken = set(exclude)
        self._numbers: dict[str, int] = {}  #: the last one of each name

    def unique(self, name: str) -> str:
        """Return the name, with a number if it is given already.

        Raises:
            Broken: Too many are given.
        """
        within(len(self._taken), MOST, "schemas or operations, those inside others included")
        free = name
        while free in self._taken:
            self._numbers[name] = self._numbers.get(name, 1) + 1
            free = f"{name}{'_' if name.islower() else ''}{self._numbers[name]}"
        self._taken.add(free)
        return free


def class_names() -> Names:
    """Return the names of models: none is a name that generated modules import."""
    return Names(_TAKEN)


def function_names() -> Names:
    """Return the names of functions."""
    return Names(_FUNCTIONS)


def class_name(text: str) -> str:
    """Return text as the name of a class: `repository_creation` as `RepositoryCreation`."""
    words = re.split(r"[^0-9A-Za-z]+", text)
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return name if name.isidentifier() else f"Schema{name}"


def argument_name(text: str) -> str:
    """Return text as the name of a function or argument: `getPet-ById` as `get_pet_by_id`."""
    name = "_".join(_WORDS.findall(text)).lower()
    name = name if name.isidentifier() else f"p_{name}"
    return f"{name}_" if keyword.iskeyword(name) or name in {"self", "body"} else name
