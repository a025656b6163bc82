"""Pages, requirement files, docstrings and messages use plain words (docs/style.md,
specs/words.yaml).

`python tests/registry/test_words.py` counts the phrases to replace in each folder; with a folder,
it lists them.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORDS = yaml.safe_load((ROOT / "specs/words.yaml").read_text())
PHRASES = [(re.compile(entry["find"]), entry["instead"]) for entry in WORDS["phrases"]]
NAMES = WORDS["names"]
TOPS = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "ARCHITECTURE.md",
    "docs",
    "specs",
    "client",
    "reference_server",
    "conformance",
    "tests",
)

MISNAMED = re.compile(r"test_(?:who|whoever|what|whatever|that|where|which|whose)_|.{73}")
#: Functions of the product: no relative clause as the subject, and no pronoun for a client, a
#: caller or a server.
OBSCURE = re.compile(
    r"(?:what|whatever|who|whoever|whom|whose|where)_|(?:.*_)?(?:who|whose|nobody|everybody|somebody|anybody)(?:_|$)"
)
QUESTION = re.compile("_?(?:is|has|are)_")  #: begins the name of a function that returns a bool
COMMENT = re.compile(r"#.*\bwhoever\b|#:? who ")  #: begins with a pronoun for a program
FUNCTION = re.compile(r" *(?:async )?def (\w+)")
PRODUCT = ("client", "reference_server", "conformance", "specs")

BEFORE = (
    "Who cancels a plan that there is not is told so, or that there is none now.",
    "Of many who create one table side by side one does, all others learn of the conflict, and the table is that one's.",
    "Whose a token is: one that this server has issued, or that its file gives somebody. What only says who it is, says nothing.",
    "Empty the log, so that nothing is found there after a crash that was taken for undone before.",
    "Who asks for credentials and is given some always gets the table too: those that came with it before may have ended.",
    "the target does not serve dropTable, which who sends no endpoints promises",
    "expected status 404 by all that was accepted before",
    "--shares is of use to delta_sharing alone, which is not among the contracts to serve",
    "What a catalog owes to callers without rights takes callers without rights.",
    "That what one may not see is answered with 404 is held against nobody.",
    "Nobody is shown what could still be undone.",
    "updates carry the ids that clients send …, so that who insists on one is accused of that alone",
    "Suite: what a caller who stays is not given whole is not held against those who leave",
    "the client does not do it where nothing is unusual: list-tables: error",
)
AFTER = (
    "Cancelling an unknown plan returns 404 or 204.",
    "When many clients create the same table concurrently, exactly one gets 200, the others get 409, and the table is the winner's.",
    "Return the principal of a token issued or configured here. Self-asserted identities are not trusted.",
    "Truncate the WAL so that changes reported as rolled back cannot reappear after a crash.",
    "When credentials are returned, always send the full table (never 304): the cached credentials may have expired.",
    "the server does not implement dropTable, although a configuration without `endpoints` implies it (IRC-CFG-013)",
    'POST …/transactions/commit returned 409, but table `t1` was changed: properties.lakepact is "refused", expected it to be absent',
    "expected status 404: the table was dropped two requests earlier (204)",
    "--shares requires --contract delta_sharing (serving: iceberg_rest)",
    "To test authorization, give lakepact the tokens of less privileged principals.",
    "Returning 404 for objects that the caller may not see is accepted.",
    "Readers only see durable state.",
    "Catalogs that require explicit ids now fail only the requirement about ids.",
    "suite: do not fail disconnect checks for partial commits",
    "the client fails with an unchanged server: list-tables: error",
)


def files(scope: str) -> list[Path]:
    """Return the files of a scope that people read: pages, YAML and Python."""
    path = ROOT / scope
    paths = (
        [path]
        if path.is_file()
        else sorted(p for p in path.rglob("*") if p.suffix in {".py", ".md", ".yaml"})
    )
    return [
        p
        for p in paths
        if "synchronous" not in p.parts
        and p.name not in {"words.yaml", "openapi.yaml", "style.md"}
        and p != Path(__file__)
    ]


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a file for people, with the lines that they begin in."""
    source = path.read_text("utf-8")
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(source)):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and " " in node.value.strip()
            ):
                yield node.lineno, re.sub(r"\n +", "\n", node.value)
    else:
        prose = (
            re.sub(r"(?ms)^```.*?^```", lambda block: "\n" * block[0].count("\n"), source)
            if path.suffix == ".md"
            else source
        )
        yield from enumerate(prose.splitlines(), start=1)


def violations(scope: str) -> list[str]:
    """Return each banned phrase in a scope, as `file:line: phrase; write …`."""
    return [
        f"{path.relative_to(ROOT)}:{line}: {match[0].strip()!r} in {' '.join(text.split())!r}; write {instead}"
        for path in files(scope)
        for line, text in texts(path)
        for phrase, instead in PHRASES
        if (match := phrase.search(text))
    ]


def misleading_promises(folder: str) -> Iterator[str]:
    """Yield each class whose docstring begins with a verb, and each function that returns nothing
    and promises to return something, in its docstring or by its name.
    """
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node) or "."
                nothing = isinstance(node, ast.ClassDef) or (
                    isinstance(node.returns, ast.Constant) and node.returns.value is None
                )
                promises = text.split()[0] in {"Return", "Returns", "Yield", "Whether"}
                if nothing and (promises or QUESTION.match(node.name)):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}: {text.splitlines()[0]}"


def participle(name: str) -> str | None:
    """Return a word that a name should not have."""
    parts = [] if name in NAMES["exempt"] else name.strip("_").split("_")
    is_flag = not {"is", "are", "was", "has", "may"}.isdisjoint(parts[:1])
    return next(
        (
            part
            for part in parts
            if part in NAMES["write"]
            or (re.fullmatch(r"\w{3,}ed", part) and part not in NAMES["exempt"] and not is_flag)
        ),
        None,
    )


def participles(folder: str) -> tuple[list[str], list[str]]:
    """Return the arguments and variables of a folder that are called by a past participle, and the
    functions, each as `file:line: name; write …`.
    """
    variables, functions = list[str](), list[str]()
    for path in sorted((ROOT / folder).rglob("*.py")):
        if "synchronous" in path.parts:  # derived
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name, kind = "", variables
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                name, kind = node.name, functions
            elif isinstance(node, ast.arg):
                name = node.arg
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                name = node.id
            if not name.startswith("test_") and (word := participle(name)):
                noun = NAMES["write"].get(word, "the noun of the thing")
                kind.append(f"{path.relative_to(ROOT)}:{node.lineno}: {name}; write {noun}")
    return variables, functions


def new_lines(folder: str) -> set[str]:
    """Return the lines of a folder that the last commit or the working tree added, as
    `file:line`.
    """
    diff = ["git", "diff", "--unified=0", "--no-prefix", "HEAD~1", "--", folder]
    lines, file = set[str](), ""
    for line in subprocess.run(
        diff, cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines():
        if line.startswith("+++ "):
            file = line[4:]
        elif match := re.match(r"@@ \S+ \+(\d+)(?:,(\d+))?", line):
            start, count = int(match[1]), int(match[2] or 1)
            lines.update(f"{file}:{number}" for number in range(start, start + count))
    return lines


def names_that_match(folder: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """Yield each function of a folder whose name matches, as `file:line: name`."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            if (match := FUNCTION.match(line)) and pattern.match(match[1]):
                yield f"{path.relative_to(ROOT)}:{number}: {match[1]}"


@pytest.mark.parametrize("scope", TOPS)
def test_files_use_plain_words(scope: str) -> None:
    assert violations(scope) == []


def test_names_of_tests_name_the_subject_first() -> None:
    assert list(names_that_match("tests", MISNAMED)) == []


@pytest.mark.parametrize("folder", PRODUCT)
def test_names_of_functions_name_the_subject_first(folder: str) -> None:
    assert list(names_that_match(folder, OBSCURE)) == []


@pytest.mark.parametrize("folder", PRODUCT)
def test_comments_name_the_client_or_the_server(folder: str) -> None:
    paths = sorted((ROOT / folder).rglob("*.py"))

    assert [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in paths
        for line in path.read_text("utf-8").splitlines()
        if COMMENT.search(line)
    ] == []


@pytest.mark.parametrize("folder", PRODUCT)
def test_classes_and_procedures_promise_no_result(folder: str) -> None:
    assert list(misleading_promises(folder)) == []


@pytest.mark.parametrize("folder", NAMES["counts"])
def test_names_are_nouns_and_verbs(folder: str) -> None:
    kinds = participles(folder)
    new = new_lines(folder)

    for kind, most in zip(kinds, NAMES["counts"][folder], strict=True):
        fresh = [line for line in kind if line.partition(": ")[0] in new] or kind
        assert len(kind) <= most, f"{len(kind)} instead of {most}:\n" + "\n".join(fresh)


@pytest.mark.parametrize("name", ["found", "_found", "known_names", "is_known", "opened_files"])
def test_participle_is_found_in_a_name(name: str) -> None:
    assert participle(name)


@pytest.mark.parametrize("name", ["tables", "is_registered", "expected", "seed", "read_tables"])
def test_noun_or_verb_is_accepted_as_a_name(name: str) -> None:
    assert participle(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "what_is_unknown_is_refused",
        "who_may_only_read",
        "plans_belong_to_everybody",
        "nobody_is_served",
    ],
)
def test_obscure_name_is_found(name: str) -> None:
    assert OBSCURE.match(name)


@pytest.mark.parametrize("name", ["missing_tables_return_404", "whole_files", "somewhere_else"])
def test_plain_name_is_accepted(name: str) -> None:
    assert OBSCURE.match(name) is None


@pytest.mark.parametrize("sentence", BEFORE)
def test_obscure_sentence_is_found(sentence: str) -> None:
    assert [instead for phrase, instead in PHRASES if phrase.search(sentence)] != []


@pytest.mark.parametrize("sentence", AFTER)
def test_plain_sentence_is_accepted(sentence: str) -> None:
    assert [instead for phrase, instead in PHRASES if phrase.search(sentence)] == []


def _main(arguments: list[str]) -> None:
    if arguments:
        lines = [line for scope in arguments for line in violations(scope)]
        names = [
            *names_that_match("tests", MISNAMED),
            *(line for folder in PRODUCT for line in names_that_match(folder, OBSCURE)),
        ]
        lines += [line for line in names if line.startswith(tuple(arguments))]
    else:
        counts = Counter(
            re.sub(r"((?:[^/:]+/){4}[^/:]+).*", r"\1", line.partition(":")[0])
            for top in TOPS
            for line in violations(top)
        )
        lines = [f"{number:6} {folder}" for folder, number in counts.most_common()]
    sys.stdout.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    _main(sys.argv[1:])
