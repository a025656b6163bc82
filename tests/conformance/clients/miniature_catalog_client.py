"""A small correct client of Iceberg REST catalogs, with one fault for each value of LAKEPACT_FAULT.

LAKEPACT_STYLE selects correct but unusual behaviour: `no-paging-parameters`, `sparse`,
`retries-reads`, `retries-conflicts`, `no-table-tasks`, `refreshes-where-configured`, `heads-first`,
`never-caches`, `splits-edits`, `reorders`, `refuses-names`, `asks-twice` (each GET),
`expires-nothing`, `undoes-transactions` (single commits), `compacts` (after each append), `stages`
(a snapshot and its branch in two commits); several with + between them.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from typing import Any
from urllib.parse import quote, unquote

from client_loop import answer_tasks, repeatedly
from miniature_history import History
from miniature_session import (
    FAULT,
    JWT,
    STYLES,
    CommitStateUnknown,
    Failed,
    NotFound,
    Refused,
    Session,
)

MOST_PAGES = 50
FIELDS = [
    {"id": 1, "name": "id", "type": "long", "required": True},
    {"id": 2, "name": "data", "type": "string", "required": False},
]
HEAD_TABLE = "HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}"
HEAD_NAMESPACE = "HEAD /v1/{prefix}/namespaces/{namespace}"
CREDENTIALS = "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials"


class Catalog(History):
    """One catalog object: a task makes one, and performs itself with it."""

    def __init__(self, arguments: dict[str, Any]) -> None:
        self.arguments = arguments
        self.levels: list[str] = arguments.get("namespace", [])
        self.name: str = arguments.get("table", "")
        self.session = Session(arguments["uri"], arguments["properties"])
        self.root = self.session.configure()
        self.cached: dict[str, tuple[str, Any]] = {}
        self.tokens: dict[str, str] = {}

    def ask(
        self, method: str, path: str, document: Any = None, headers: dict[str, str] | None = None
    ) -> Any:
        return self.session.ask(
            method, path, document, headers, token=self.tokens.get(path.partition("?")[0], "")
        ).document

    # -- paths -------------------------------------------------------------------------------------

    def namespace(self, levels: list[str] | None = None) -> str:
        levels = self.levels if levels is None else levels
        if FAULT == "joins-levels-by-dots":
            return f"{self.root}/namespaces/" + quote(".".join(levels), safe="")
        separator = self.session.properties.get("namespace-separator", "%1F")
        if FAULT == "encodes-separators-twice" and "namespace-separator" in self.session.properties:
            return f"{self.root}/namespaces/" + quote(separator.join(levels), safe="")
        path = quote(
            unquote(separator).join(levels), safe="%" if FAULT == "leaves-percent-signs" else ""
        )
        return f"{self.root}/namespaces/{path.replace('%20', '+') if FAULT == 'writes-spaces-as-plus' else path}"

    def table(self, name: str | None = None) -> str:
        root = (
            self.namespace().replace(self.root, "/v1", 1)
            if FAULT == "drops-without-prefix"
            else self.namespace()
        )
        name_of_table = self.name if name is None else name
        self.identifier(name_of_table)
        return f"{root}/tables/{name_of_table if FAULT == 'leaves-table-names-as-they-are' else quote(name_of_table, safe='')}"

    def identifier(self, name: str) -> dict[str, Any]:
        if "refuses-names" in STYLES and "%41é" in name:
            raise Refused("such names are not supported")
        name = quote(name, safe="") if FAULT == "encodes-names-in-bodies" else name
        return {"namespace": self.levels, "name": name}

    # -- listings ----------------------------------------------------------------------------------

    def pages(self, path: str, member: str) -> list[Any]:
        token, items = "", []
        join = "&" if "?" in path else "?"
        for page_number in range(10**6 if FAULT == "never-ends" else MOST_PAGES):
            size = (
                "none"
                if FAULT == "sends-a-word-as-size"
                else "100"
                if member == "namespaces"
                else "2"
            )
            page_path = f"{path}{join}pageSize={size}&pageToken={token if FAULT == 'leaves-tokens-as-they-are' else quote(token, safe='')}"
            if "no-paging-parameters" in STYLES or FAULT == "does-not-page":
                page_path = f"{path}{join}pageToken={quote(token, safe='')}" if token else path
            page = self.ask("GET", page_path)
            items += page[member]
            if FAULT == "needs-the-token":
                following = page["next-page-token"] or ""
            elif FAULT == "takes-null-for-a-token" and "next-page-token" in page:
                following = str(page["next-page-token"])
            else:
                following = page.get("next-page-token") or ""
            if (
                not following
                or FAULT == "does-not-page"
                or (FAULT == "reads-one-page" and page_number == 0)
                or ("/views" in path and FAULT == "reads-one-page-of-views")
            ):
                return items
            if FAULT == "stops-at-an-empty-page" and not page[member]:
                return items
            if following == token and FAULT != "never-ends":
                raise Failed("the server repeats itself")
            token = following
        raise Failed("too many pages")

    def list_namespaces(self) -> Any:
        return self.pages(f"{self.root}/namespaces", "namespaces")

    def list_child_namespaces(self) -> Any:
        parent = self.arguments["parent"]
        parent_text = ".".join(parent) if FAULT == "joins-parents-by-dots" else "\x1f".join(parent)
        namespaces = self.pages(
            f"{self.root}/namespaces?parent={quote(parent_text, safe='')}", "namespaces"
        )
        return (
            [[*parent, *each] for each in namespaces]
            if FAULT == "repeats-the-parent"
            else namespaces
        )

    def list_tables(self) -> Any:
        names = [names["name"] for names in self.pages(f"{self.namespace()}/tables", "identifiers")]
        return names[:1] if FAULT == "lists-the-first-table" else names

    def list_views(self) -> Any:
        return [
            identifier["name"]
            for identifier in self.pages(f"{self.namespace()}/views", "identifiers")
        ]

    def list_tables_repeatedly(self) -> Any:
        def names_or_none() -> Any:
            with contextlib.suppress(Refused, Failed):
                return self.list_tables()
            return None

        return repeatedly(names_or_none, self.arguments)

    # -- namespaces --------------------------------------------------------------------------------

    def create_namespace(self) -> Any:
        namespace: Any = ".".join(self.levels) if FAULT == "namespaces-are-words" else self.levels
        self.ask("POST", f"{self.root}/namespaces", {"namespace": namespace, "properties": {}})

    def load_namespace(self) -> Any:
        document = self.ask("GET", self.namespace())
        return (
            document["properties"]
            if FAULT == "needs-properties"
            else document.get("properties") or {}
        )

    def set_namespace_properties(self) -> Any:
        body = {"updates": self.arguments["updates"], "removals": self.arguments["removals"]}
        if FAULT == "removes-an-object":
            body["removals"] = dict.fromkeys(self.arguments["removals"], "")
        self.ask("POST", f"{self.namespace()}/properties", body)

    def drop_namespace(self) -> Any:
        self.ask("DELETE", self.namespace())

    def exists(self, head: str, path: str) -> bool:
        has_head = head in self.session.endpoints or FAULT in {"always-sends-head", "needs-head"}
        try:
            reply = self.session.ask("HEAD" if has_head else "GET", path)
        except NotFound:
            if FAULT == "always-sends-head" and has_head:
                return bool(self.session.ask("GET", path))
            return FAULT == "sends-no-existence"
        except Refused:
            if FAULT == "takes-any-error-for-no":
                return False
            raise
        return reply.status == 204 if FAULT == "knows-204-only" and has_head else True

    def namespace_exists(self) -> Any:
        return self.exists(HEAD_NAMESPACE, self.namespace())

    def table_exists(self) -> Any:
        return self.exists(HEAD_TABLE, self.table())

    # -- tables ------------------------------------------------------------------------------------

    def create_table(self) -> Any:
        fields = (
            [{k: v for k, v in field.items() if k != "id"} for field in FIELDS]
            if FAULT == "fields-without-ids"
            else FIELDS
        )
        body = {"name": self.name, "schema": {"type": "struct", "schema-id": 0, "fields": fields}}
        self.ask("POST", f"{self.namespace()}/tables", body)

    def load(self) -> Any:
        if "heads-first" in STYLES and HEAD_TABLE in self.session.endpoints:
            self.session.ask("HEAD", self.table())
        etag, table = self.cached.get(self.table(), ("", None))
        reply = self.session.ask(
            "GET", self.table(), headers={"If-None-Match": etag} if etag else None
        )
        if reply.status == 304 or (table is not None and FAULT == "keeps-the-first-table"):
            if FAULT == "takes-304-for-gone":
                raise NotFound("304")
            return table
        document = reply.document
        if FAULT == "numbers-are-floats":
            document = json.loads(reply.body, parse_int=lambda text: int(float(text)))
        if reply.headers.get("etag") and "never-caches" not in STYLES:
            self.cached[self.table()] = reply.headers["etag"], document
        config = document["config"] if FAULT == "needs-config" else document.get("config")
        if FAULT == "config-is-an-object":
            config = document.get("config", {})
            config.get("token")
        if config and config.get("token") and FAULT != "has-one-token":
            self.tokens[self.table()] = config["token"]
        if config and JWT in config:
            self.tokens[self.table()] = self.session.exchange_token(config[JWT])
        if FAULT == "knows-every-member" and set(document) - {
            "metadata",
            "metadata-location",
            "config",
            "storage-credentials",
        }:
            raise Refused("an unknown member")
        return document

    def summary(self) -> dict[str, Any]:
        metadata = self.load()["metadata"]
        current = metadata.get("current-snapshot-id")
        snapshots = [snapshot["snapshot-id"] for snapshot in metadata.get("snapshots") or []]
        if current == -1 and FAULT != "takes-minus-one-for-a-snapshot":
            current = None
        if current is not None and current not in snapshots:
            raise Refused("the current snapshot is missing")
        return {
            "uuid": metadata["table-uuid"],
            "location": metadata["location"],
            "properties": metadata.get("properties") or {},
            "current-snapshot-id": current,
            "snapshot-ids": snapshots,
        }

    def load_table(self) -> Any:
        return self.summary()

    def load_table_repeatedly(self) -> Any:
        return repeatedly(self.summary, self.arguments)

    def load_tables(self) -> Any:
        tables = []
        for table in self.arguments["tables"]:
            self.name = table
            if FAULT == "sends-the-last-etag" and self.cached:
                self.cached[self.table()] = self.cached.popitem()[1]
            tables.append(self.summary())
        return tables

    def commit(self, updates: list[dict[str, Any]], *requirements: dict[str, Any]) -> None:
        metadata = self.load()["metadata"]
        same_table = (
            []
            if FAULT == "forgets-uuids"
            else [{"type": "assert-table-uuid", "uuid": metadata["table-uuid"]}]
        )
        updates = [*updates, *further(updates[0]["action"], metadata)]
        body = {"requirements": [*same_table, *requirements], "updates": updates}
        if FAULT == "forgets-the-action":
            body["updates"] = [
                {("type" if k == "action" else k): v for k, v in update.items()}
                for update in updates
            ]
        if FAULT == "forgets-the-requirements":
            del body["requirements"]
        self.ask("POST", self.table(), body)

    def set_properties(self) -> Any:
        if FAULT == "fails-on-empty-properties" and "" in self.arguments["updates"].values():
            raise Failed("a value is empty")
        earlier = self.load()["metadata"]["properties"] if FAULT == "replaces-properties" else {}
        removed: list[dict[str, Any]] = (
            [{"action": "remove-properties", "removals": sorted(earlier)}] if earlier else []
        )
        self.commit([*removed, {"action": "set-properties", "updates": self.arguments["updates"]}])

    def set_properties_twice(self) -> Any:
        for member in ("first", "second"):
            self.commit([{"action": "set-properties", "updates": self.arguments[member]}])

    # -- evolution ---------------------------------------------------------------------------------

    def add_column(self) -> Any:
        self.change_schema([{"edit": "add", "column": [self.arguments["column"]]}])

    def edit_columns(self) -> Any:
        for edits in (
            [[edit] for edit in self.arguments["edits"]]
            if "splits-edits" in STYLES
            else [self.arguments["edits"]]
        ):
            self.change_schema(edits)

    def change_schema(self, edits: list[dict[str, Any]]) -> None:
        metadata = self.load_writable()["metadata"]
        decimal = "decimal(9, 2)"
        schema = json.loads(
            json.dumps(self.schema(metadata)).replace(
                decimal, "decimal(9,2)" if "sparse" in STYLES else decimal
            )
        )
        last = (
            max(column["id"] for column in schema["fields"])
            if FAULT == "counts-columns-of-the-schema"
            else metadata["last-column-id"]
        )
        for edit in edits:
            *outer, name = edit["column"]
            fields = inner_fields(schema, outer)
            if edit["edit"] == "add":
                last += FAULT != "adds-columns-with-one-id" or last == metadata["last-column-id"]
                fields.append({"id": last, "name": name, "type": "string", "required": False})
                continue
            column = next(one for one in fields if one["name"] == name)
            if edit["edit"] == "drop":
                fields.remove(column)
            elif edit["edit"] == "rename" and FAULT == "renames-by-a-new-column":
                fields[fields.index(column)] = {
                    **column,
                    "id": (last := last + 1),
                    "name": edit["to"],
                }
            else:
                column |= (
                    {"name": edit["to"]}
                    if "to" in edit
                    else {k: v for k, v in edit.items() if k in {"type", "doc"}}
                )
                column |= {"required": False} if edit["edit"] == "relax" else {}
        if "reorders" in STYLES:
            schema["fields"] = schema["fields"][::-1]
        if FAULT == "forgets-docs":
            schema["fields"] = [
                {k: v for k, v in column.items() if k != "doc"} for column in schema["fields"]
            ]
        if FAULT == "forgets-keys":
            schema.pop("identifier-field-ids", None)
        requirements = [
            {
                "type": "assert-current-schema-id",
                "current-schema-id": metadata["current-schema-id"],
            },
            {
                "type": "assert-last-assigned-field-id",
                "last-assigned-field-id": metadata["last-column-id"],
            },
        ]
        addition = {
            "action": "add-schema",
            "schema": {**schema, "schema-id": len(metadata["schemas"])},
        }
        updates: list[dict[str, Any]] = [
            addition,
            {"action": "set-current-schema", "schema-id": -1},
        ]
        if FAULT == "only-adds-schemas":
            del updates[1]
        if FAULT == "sets-properties-with-columns":
            updates.append(
                {"action": "set-properties", "updates": {"lakepact.kept": "of the client"}}
            )
        self.commit(updates, *([] if FAULT == "adds-columns-to-any-schema" else requirements))

    def create_table_with_layout(self) -> Any:
        members = {
            name: self.arguments[name] for name in ("schema", "partition-spec", "write-order")
        }
        if FAULT == "forgets-sort-orders":
            del members["write-order"]
        if FAULT == "renumbers-columns-alone":
            fields = [
                {**column, "id": number}
                for number, column in enumerate(members["schema"]["fields"], 10)
            ]
            members["schema"] = {
                **members["schema"],
                "identifier-field-ids": [10],
                "fields": fields,
            }
        version = (
            {}
            if FAULT == "forgets-versions"
            else {"format-version": str(self.arguments["format-version"])}
        )
        self.ask(
            "POST",
            f"{self.namespace()}/tables",
            {"name": self.name, **members, "properties": self.arguments["properties"] | version},
        )

    def add_partition_field(self) -> Any:
        metadata = self.load()["metadata"]
        spec = next(
            spec
            for spec in metadata["partition-specs"]
            if spec["spec-id"] == metadata["default-spec-id"]
        )
        source = next(
            column["id"]
            for column in self.schema(metadata)["fields"]
            if column["name"] == self.arguments["column"]
        )
        last = (
            max(field["field-id"] for field in spec["fields"])
            if FAULT == "counts-fields-of-the-spec"
            else metadata["last-partition-id"]
        )
        field_of_column = {
            "source-id": source,
            "field-id": last + 1,
            "name": self.arguments["name"],
            "transform": self.arguments["transform"],
        }
        former = [] if FAULT == "replaces-partition-fields" else spec["fields"]
        guard = {
            "type": "assert-last-assigned-partition-id",
            "last-assigned-partition-id": metadata["last-partition-id"],
        }
        new = {
            "spec-id": len(metadata["partition-specs"]),
            "fields": [field_of_column, *former]
            if "reorders" in STYLES
            else [*former, field_of_column],
        }
        updates: list[dict[str, Any]] = [
            {"action": "add-spec", "spec": new},
            {"action": "set-default-spec", "spec-id": -1},
        ]
        self.commit(updates, *([] if FAULT == "adds-fields-to-any-spec" else [guard]))

    def rename_table(self) -> Any:
        source, to = self.identifier(self.name), self.identifier(self.arguments["to"])
        body = {"source": source, "target" if FAULT == "renames-to-a-target" else "destination": to}
        try:
            reply = self.session.ask("POST", f"{self.root}/tables/rename", body)
        except CommitStateUnknown:
            if FAULT != "renames-again":
                raise
            reply = self.session.ask("POST", f"{self.root}/tables/rename", body)
        if FAULT == "takes-204-for-an-error" and reply.status == 204:
            raise Failed("204")
        if FAULT == "needs-204" and reply.status != 204:
            raise Failed(str(reply.status))

    def drop_table(self, *, purge: bool = FAULT == "always-purges") -> Any:
        path = self.table() + ("?purgeRequested=true" if purge else "")
        root = (
            self.root_of(self.load()["metadata"])
            if FAULT.startswith("deletes-files-of-dropped")
            else None
        )
        try:
            self.session.ask("DELETE", path)
        except Refused:
            if FAULT == "deletes-files-of-dropped-tables-at-once" and root:
                shutil.rmtree(root)
            raise
        if root and not purge:
            shutil.rmtree(root)
        if FAULT == "drops-neighbours":
            self.session.ask("DELETE", self.table("neighbour"))
        if FAULT == "drops-twice":
            with contextlib.suppress(NotFound):
                self.session.ask("DELETE", path)

    def purge_table(self) -> Any:
        root = self.root_of(self.load()["metadata"])
        self.drop_table(purge=FAULT != "forgets-to-purge")
        if FAULT == "deletes-files-it-has-purged":
            shutil.rmtree(root)

    def register_table(self) -> Any:
        body = {"name": self.name, "metadata-location": self.arguments["metadata-location"]}
        self.ask(
            "POST",
            self.table() if FAULT == "registers-by-a-commit" else f"{self.namespace()}/register",
            body,
        )

    def register_again(self) -> None:
        """Replace the table by itself, as a recovery of a broken table does."""
        location = self.load()["metadata-location"]
        self.session.ask("DELETE", self.table())
        body = {"name": self.name, "metadata-location": location}
        self.ask("POST", f"{self.namespace()}/register", body)

    def report_metrics(self) -> Any:
        body = {
            "report-type": "scan-report",
            "table-name": self.name,
            "snapshot-id": 1,
            "filter": True,
            "schema-id": 0,
        }
        body |= {"projected-field-ids": [1], "projected-field-names": ["id"], "metrics": {}}
        self.ask(
            "POST", f"{self.table()}/{'metric' if FAULT == 'makes-up-a-path' else 'metrics'}", body
        )

    def commit_transaction(self) -> Any:
        changes = []
        for name in self.arguments["tables"]:
            metadata = self.ask("GET", self.table(name))["metadata"]
            requirements = [{"type": "assert-table-uuid", "uuid": metadata["table-uuid"]}]
            updates = [{"action": "set-properties", "updates": self.arguments["updates"]}]
            changes.append(
                {
                    "identifier": self.identifier(name),
                    "requirements": requirements,
                    "updates": updates,
                }
            )
        if FAULT == "splits-transactions" or "undoes-transactions" in STYLES:
            return self.commit_singly(changes)
        try:
            self.ask("POST", f"{self.root}/transactions/commit", {"table-changes": changes})
        except CommitStateUnknown:
            if FAULT != "sends-transactions-again":
                raise
            self.ask("POST", f"{self.root}/transactions/commit", {"table-changes": changes})
        return None

    def commit_singly(self, changes: list[dict[str, Any]]) -> None:
        """Commit each change of a transaction; the correct client undoes them if one is refused."""
        paths: list[str] = []
        for change in changes:
            path = self.table(change["identifier"]["name"])
            try:
                self.ask("POST", path, change)
            except Refused:
                removal = {"action": "remove-properties", "removals": [*self.arguments["updates"]]}
                for other in paths if "undoes-transactions" in STYLES else ():
                    self.ask("POST", other, {"requirements": [], "updates": [removal]})
                raise
            paths.append(path)

    # -- views -------------------------------------------------------------------------------------

    def view(self) -> str:
        return f"{self.namespace()}/views/{quote(self.arguments['view'], safe='')}"

    def create_view(self) -> Any:
        schema = {"type": "struct", "schema-id": 0, "fields": FIELDS[:1]}
        representation = {"type": "sql", "sql": self.arguments["sql"], "dialect": "spark"}
        version = {
            "version-id": 1,
            "timestamp-ms": int(time.time() * 1000),
            "schema-id": 0,
            "summary": {},
        }
        version |= {"representations": [representation], "default-namespace": self.levels}
        properties = {} if "sparse" in STYLES else {"properties": dict[str, str]()}
        self.ask(
            "POST",
            f"{self.namespace()}/views",
            {
                "name": self.arguments["view"],
                "schema": schema,
                "view-version": version,
                **properties,
            },
        )

    def load_view(self) -> Any:
        result = self.ask("GET", self.view())
        if FAULT == "config-of-views-is-an-object":
            result.get("config", {}).get("token")
        metadata = result["metadata"]
        current = next(
            v for v in metadata["versions"] if v["version-id"] == metadata["current-version-id"]
        )
        return {"uuid": metadata["view-uuid"], "sql": current["representations"][0]["sql"]}

    def replace_view(self) -> Any:
        metadata = self.ask("GET", self.view())["metadata"]
        current = next(
            v for v in metadata["versions"] if v["version-id"] == metadata["current-version-id"]
        )
        version = {**current, "version-id": max(v["version-id"] for v in metadata["versions"]) + 1}
        version |= {"timestamp-ms": int(time.time() * 1000)}
        version |= {
            "representations": [{"type": "sql", "sql": self.arguments["sql"], "dialect": "spark"}]
        }
        updates = [
            {"action": "add-view-version", "view-version": version},
            {"action": "set-current-view-version", "view-version-id": -1},
        ]
        body = {
            "requirements": [{"type": "assert-view-uuid", "uuid": metadata["view-uuid"]}],
            "updates": updates,
        }
        try:
            self.ask("POST", self.view(), body)
        except CommitStateUnknown:
            if FAULT != "replaces-views-again":
                raise
            self.ask("POST", self.view(), body)

    def rename_view(self) -> Any:
        body = {
            "source": self.identifier(self.arguments["view"]),
            "destination": self.identifier(self.arguments["to"]),
        }
        self.ask("POST", f"{self.root}/views/rename", body)

    def drop_view(self) -> Any:
        self.ask("DELETE", self.view())

    # -- files and scans ---------------------------------------------------------------------------

    def properties_of_files(self, result: dict[str, Any]) -> dict[str, str]:
        location = result["metadata-location"]
        fitting = [
            c for c in result.get("storage-credentials") or [] if location.startswith(c["prefix"])
        ]
        if FAULT == "takes-any-prefix":
            fitting = result.get("storage-credentials", [])
        if FAULT == "takes-the-shortest-prefix":
            fitting.sort(key=lambda c: -len(c["prefix"]))
        elif FAULT != "takes-the-first-prefix":
            fitting.sort(key=lambda c: len(c["prefix"]))
        else:
            fitting = fitting[:1]
        config: dict[str, str] = result.get("config") or {}
        credentials: dict[str, str] = fitting[-1]["config"] if fitting else {}
        return (
            {**credentials, **config}
            if FAULT == "takes-config-first"
            else {**config, **credentials}
        )

    def file_properties(self) -> Any:
        return self.properties_of_files(self.load())

    def file_properties_repeatedly(self) -> Any:
        result = self.load()

        def current() -> dict[str, str]:
            nonlocal result
            credentials = self.properties_of_files(result)
            expires = float(credentials.get("s3.session-token-expires-at-ms", "inf")) / 1000
            if time.time() < expires or FAULT == "keeps-expired-credentials":
                return credentials
            address = f"{self.table()}/credentials" if CREDENTIALS in self.session.endpoints else ""
            if FAULT == "always-asks-for-credentials":
                address = f"{self.table()}/credentials"
            if "refreshes-where-configured" in STYLES:
                endpoint = result["config"].get("client.refresh-credentials-endpoint")
                address = f"/{endpoint}" if endpoint else ""
            if address:
                result = {**result, **self.ask("GET", address)}
            else:
                self.cached.clear()
                result = self.load()
            return self.properties_of_files(result)

        return repeatedly(current, self.arguments)

    def sign_repeatedly(self) -> Any:
        result = self.load()
        config, first = result["config"], self.session.token

        def signed() -> Any:
            if FAULT == "signs-with-the-first-token":
                self.session.token, self.session.expires, self.session.gave_up = first, 0.0, True
            request = {
                "region": "eu-central-1",
                "method": "GET",
                "uri": result["metadata-location"],
                "headers": {},
            }
            signer = result.get("remote-signing-config", {})
            if "properties" in signer and FAULT != "forgets-properties-of-signers":
                request["properties"] = signer["properties"]
            headers = {} if FAULT == "forgets-headers-of-signers" else signer.get("headers", {})
            headers = {name: ", ".join(values) for name, values in headers.items()}
            return self.ask("POST", f"/{config['signer.endpoint']}", request, headers=headers)[
                "headers"
            ]["Authorization"][0]

        return repeatedly(signed, self.arguments)

    def list_snapshots(self) -> Any:
        result = self.load()
        if (
            FAULT == "plans-metadata-tables"
            and result.get("config", {}).get("scan-planning-mode") == "server"
        ):
            self.ask("POST", f"{self.table()}.snapshots/plan", {})
        return [snapshot["snapshot-id"] for snapshot in result["metadata"].get("snapshots") or []]

    def plan_results(self) -> list[dict[str, Any]]:
        plan = self.ask("POST", f"{self.table()}/plan", {})
        for _ in range(40):
            if plan["status"] != "submitted" or FAULT == "does-not-wait-for-plans":
                break
            time.sleep(0.05)
            plan = self.ask("GET", f"{self.table()}/plan/{quote(plan['plan-id'], safe='')}") | {
                "plan-id": plan["plan-id"]
            }
        if plan["status"] == "failed" or (
            plan["status"] == "cancelled" and FAULT != "takes-cancelled-plans-for-empty"
        ):
            raise Refused(json.dumps(plan))
        results, tasks = [plan], list(plan.get("plan-tasks") or [])
        while tasks and FAULT != "fetches-no-plan-tasks":
            part = self.ask("POST", f"{self.table()}/tasks", {"plan-task": tasks.pop()})
            results.append(part)
            tasks += (
                [] if FAULT == "fetches-one-level-of-plan-tasks" else part.get("plan-tasks") or []
            )
        return results

    def scan_tasks(self) -> list[dict[str, Any]]:
        return [
            task for result in self.plan_results() for task in result.get("file-scan-tasks") or []
        ]

    def plan_scan(self) -> Any:
        results = self.plan_results()
        deletes = [file for result in results for file in result.get("delete-files") or []]
        tasks = []
        for result in results:
            own = deletes if FAULT == "mixes-up-delete-files" else result.get("delete-files") or []
            for task in result.get("file-scan-tasks") or []:
                references = (
                    []
                    if FAULT == "ignores-delete-files"
                    else task.get("delete-file-references") or []
                )
                tasks.append(
                    {
                        "file": task["data-file"]["file-path"],
                        "deletes": [own[n]["file-path"] for n in references],
                    }
                )
        return tasks


def further(action: str, metadata: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the updates that a faulty client adds to others."""
    if FAULT == "forgets-properties-with-columns" and action == "add-schema":
        return [{"action": "remove-properties", "removals": sorted(metadata["properties"])}]
    if FAULT == "drops-tags-with-appends" and action == "add-snapshot":
        tags = [name for name, ref in metadata["refs"].items() if ref["type"] == "tag"]
        return [{"action": "remove-snapshot-ref", "ref-name": name} for name in tags]
    return []


def inner_fields(schema: dict[str, Any], outer: list[str]) -> list[dict[str, Any]]:
    """Return the fields of a struct in a schema, by the names of the columns around them."""
    for name in outer:
        schema = (
            schema[name]
            if name in {"element", "key", "value"}
            else next(f for f in schema["fields"] if f["name"] == name)["type"]
        )
    fields: list[dict[str, Any]] = schema["fields"]
    return fields


def perform(task: str, arguments: dict[str, Any]) -> Any:
    act = getattr(Catalog, task.replace("-", "_"), None)
    if act is None or ("no-table-tasks" in STYLES and "table" in task):
        raise NotImplementedError(task)
    return act(Catalog(arguments))


if __name__ == "__main__":
    answer_tasks(perform)
