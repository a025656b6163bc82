"""A namespace of its own for each fuzzed sequence, and what a sequence made in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.checks.iceberg_rest.lab import SEPARATOR, set_properties
from lakepact.conformance.checks.iceberg_rest.suite import suite
from lakepact.conformance.fuzz import Fuzz

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.conformance.checks.iceberg_rest.lab import CatalogLab, Namespace
    from lakepact.conformance.wire import Reply

OPERATIONS = (
    "listNamespaces",
    "createNamespace",
    "loadNamespaceMetadata",
    "dropNamespace",
    "updateProperties",
    "listTables",
    "createTable",
    "loadTable",
    "updateTable",
    "dropTable",
    "renameTable",
    "registerTable",
    "namespaceExists",
    "tableExists",
    "getConfig",
)


class CatalogWorld:
    """One sequence's namespace, with the namespaces and tables below it."""

    def __init__(self, lab: CatalogLab) -> None:
        self._lab = lab
        self.root = lab.make_namespace()
        self.namespaces: list[Namespace] = [self.root]
        self.tables: dict[tuple[Namespace, str], dict[str, Any]] = {}
        self._serial = 0
        if lab.offers("createTable"):
            table = lab.make_table(self.root, name="t0", properties={"a": "1"})
            self.tables[self.root, "t0"] = table.reply.document

    def arguments(self, operation: str, choose: Callable[[Sequence[Any]], Any]) -> dict[str, Any]:
        """A namespace and a table that exist, mostly."""
        path = {p.argument for p in self._lab.contract.operations[operation].parameters if p.where == "path"} - {"prefix"}
        if "table" in path:
            namespace, table = choose([*self.tables, (self.root, "missing")])
            return {"namespace": namespace, "table": table}
        if "namespace" in path:
            usable = self.namespaces if operation != "dropNamespace" else self.namespaces[1:]
            return {"namespace": choose([*usable, (*self.root, "missing")])}
        if operation == "listNamespaces":
            return {"parent": choose([*self.namespaces, (*self.root, "missing")])}
        return {}

    def confined(self, operation: str, body: Any) -> Any:
        """Namespaces in a body are moved below the root."""
        if not isinstance(body, dict):
            return body
        moved = dict(body)
        if operation == "createNamespace":
            moved["namespace"] = self._below(body.get("namespace"))
        if operation == "renameTable":
            for side in ("source", "destination"):
                if isinstance(body.get(side), dict) and "namespace" in body[side]:
                    moved[side] = {**body[side], "namespace": self._below(body[side]["namespace"])}
        return {key: value for key, value in moved.items() if key in body or value is not None}

    def _below(self, levels: Any) -> Any:
        if isinstance(levels, list) and all(isinstance(level, str) for level in levels):
            return [*self.root, *levels] if tuple(levels[: len(self.root)]) != self.root else levels
        return levels

    def example(self, operation: str, arguments: dict[str, Any]) -> Any:
        """A body that should be accepted."""
        self._serial += 1
        name = f"t{self._serial}"
        table = self.tables.get((arguments.get("namespace", ()), arguments.get("table", "")))
        examples: dict[str, Callable[[], Any]] = {
            "createNamespace": lambda: {"namespace": [*self.root, f"n{self._serial}"], "properties": {"a": "1"}},
            "updateProperties": lambda: {"removals": ["b"], "updates": {"a": "2"}},
            "createTable": lambda: self._lab.table_request(name, properties={"a": "1"}),
            "updateTable": lambda: self._commit(table),
            "renameTable": lambda: self._renaming(name),
            "registerTable": lambda: {"name": name, "metadata-location": (table or {}).get("metadata-location") or "file:///missing.json"},
        }
        return examples[operation]() if operation in examples else None

    def _commit(self, table: dict[str, Any] | None) -> dict[str, Any]:
        metadata = (table or {}).get("metadata", {})
        identifier = 10_000 + self._serial
        location = metadata.get("location", "file:///missing")
        return {
            "requirements": [{"type": "assert-ref-snapshot-id", "ref": f"r{identifier}", "snapshot-id": None}],
            "updates": [
                set_properties(a="1"),
                {
                    "action": "add-snapshot",
                    "snapshot": {
                        "snapshot-id": identifier,
                        "sequence-number": metadata.get("last-sequence-number", 0) + 1,
                        "timestamp-ms": metadata.get("last-updated-ms", 1_700_000_000_000) + 1,
                        "manifest-list": f"{location}/metadata/snap-{identifier}.avro",
                        "summary": {"operation": "append"},
                        "schema-id": 0,
                    },
                },
                {"action": "set-snapshot-ref", "ref-name": f"r{identifier}", "type": "tag", "snapshot-id": identifier},
                {"action": "add-spec", "spec": {"spec-id": 1, "fields": [{"name": "b", "transform": "bucket[4]", "source-id": 1}]}},
                {"action": "set-default-spec", "spec-id": -1},
            ],
        }

    def _renaming(self, name: str) -> dict[str, Any]:
        namespace, table = next(iter(self.tables), (self.root, "missing"))
        return {
            "source": {"namespace": list(namespace), "name": table},
            "destination": {"namespace": list(namespace), "name": name},
        }

    def learn(self, operation: str, arguments: dict[str, Any], body: Any, reply: Reply) -> None:
        """Remember tables and namespaces that were made, and forget those that are gone."""
        if not 200 <= reply.status < 300:
            return
        answer = reply.exchange.parsed if isinstance(reply.exchange.parsed, dict) else {}
        if operation == "createNamespace" and isinstance(answer.get("namespace"), list):
            self._made_namespace(tuple(str(level) for level in answer["namespace"]))
        elif operation in {"createTable", "registerTable"} and isinstance(body, dict) and not body.get("stage-create"):
            self._made_table(arguments["namespace"], str(body.get("name")), answer)
        elif operation in {"updateTable", "loadTable"} and answer:
            self._made_table(arguments["namespace"], arguments["table"], answer)
        elif operation == "dropTable":
            self.tables.pop((arguments["namespace"], arguments["table"]), None)
        elif operation == "dropNamespace":
            self.namespaces = [n for n in self.namespaces if n != arguments["namespace"]]
        elif operation == "renameTable" and isinstance(body, dict):
            self._moved(body)

    def _made_namespace(self, namespace: Namespace) -> None:
        if namespace not in self.namespaces:
            self.namespaces.append(namespace)
            self._lab.afterwards(lambda: self._lab.send("dropNamespace", namespace=namespace))

    def _made_table(self, namespace: Namespace, name: str, answer: dict[str, Any]) -> None:
        if (namespace, name) not in self.tables:
            self._lab.drop_afterwards(namespace, name)
        self.tables[namespace, name] = answer

    def _moved(self, body: dict[str, Any]) -> None:
        source = (tuple(body["source"]["namespace"]), body["source"]["name"])
        target = (tuple(body["destination"]["namespace"]), body["destination"]["name"])
        if source in self.tables:
            self.tables[target] = self.tables.pop(source)
            self._lab.drop_afterwards(*target)


def tolerated(operation: str, body: Any) -> bool:
    """Whether clients send such bodies although the schema forbids them: null for what is absent, snapshot-id left out (A-20)."""
    text = str(body)
    if operation == "registerTable" and isinstance(body, dict) and body.get("overwrite", False) is None:
        return True
    return "None" in text or SEPARATOR in text


suite.fuzz = Fuzz(world=CatalogWorld, refuses_invalid="IRC-GEN-013", operations=OPERATIONS, tolerated=tolerated)
