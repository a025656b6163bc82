//! Tasks of `lakepact check-client` for iceberg-rust.
//!
//!     cargo build && lakepact check-client -- target/debug/iceberg-rust-client
mod rows;

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::time::Duration;

use iceberg::io::LocalFsStorageFactory;
use iceberg::spec::{NestedField, PrimitiveType, Schema, Type};
use iceberg::table::Table;
use iceberg::transaction::{AddColumn, ApplyTransactionAction, Transaction};
use iceberg::{Catalog, CatalogBuilder, Error, ErrorKind, NamespaceIdent, Result, TableCreation, TableIdent};
use iceberg_catalog_rest::{RestCatalog, RestCatalogBuilder};
use serde_json::{Value, json};

/// One task: a catalog of its own, and the arguments.
struct Task {
    catalog: RestCatalog,
    given: Value,
}

impl Task {
    fn text(&self, member: &str) -> String {
        self.given[member].as_str().unwrap_or_default().to_string()
    }

    fn texts(&self, member: &str) -> HashMap<String, String> {
        serde_json::from_value(self.given[member].clone()).unwrap_or_default()
    }

    fn levels(&self, member: &str) -> Result<NamespaceIdent> {
        NamespaceIdent::from_vec(serde_json::from_value(self.given[member].clone()).unwrap_or_default())
    }

    fn name(&self, member: &str) -> Result<TableIdent> {
        Ok(TableIdent::new(self.levels("namespace")?, self.text(member)))
    }

    async fn table(&self) -> Result<Table> {
        self.catalog.load_table(&self.name("table")?).await
    }

    async fn pause(&self) {
        tokio::time::sleep(Duration::from_secs_f64(self.given["pause"].as_f64().unwrap_or_default())).await;
    }

    fn times(&self) -> u64 {
        self.given["times"].as_u64().unwrap_or(1)
    }

    /// Performs a task; `FeatureUnsupported` stands for one that the client does not implement.
    async fn perform(&self, name: &str) -> Result<Value> {
        let catalog = &self.catalog;
        match name {
            "list-namespaces" => Ok(json!(catalog.list_namespaces(None).await?)),
            "list-child-namespaces" => Ok(json!(catalog.list_namespaces(Some(&self.levels("parent")?)).await?)),
            "namespace-exists" => Ok(json!(catalog.namespace_exists(&self.levels("namespace")?).await?)),
            "create-namespace" => none(catalog.create_namespace(&self.levels("namespace")?, HashMap::new()).await),
            "load-namespace" => Ok(json!(catalog.get_namespace(&self.levels("namespace")?).await?.properties())),
            "drop-namespace" => none(catalog.drop_namespace(&self.levels("namespace")?).await),
            "list-tables" => self.list_tables().await,
            "list-tables-repeatedly" => self.list_tables_repeatedly().await,
            "table-exists" => Ok(json!(catalog.table_exists(&self.name("table")?).await?)),
            "create-table" => self.create_table().await,
            "load-table" => Ok(described(&self.table().await?)),
            "load-table-repeatedly" => self.load_table_repeatedly().await,
            "set-properties" => none(self.set(&self.table().await?, "updates").await),
            "set-properties-twice" => {
                let first = self.set(&self.table().await?, "first").await?;
                none(self.set(&first, "second").await)
            }
            "add-column" => self.add_column().await,
            "append-rows" => none(rows::append(catalog, &self.table().await?, &self.given["rows"]).await),
            "read-rows" => rows::read(&self.table().await?, None).await,
            "read-rows-at-snapshot" => rows::read(&self.table().await?, self.given["snapshot-id"].as_i64()).await,
            "read-rows-at-ref" => self.read_ref().await,
            "purge-table" => none(catalog.purge_table(&self.name("table")?).await),
            "rename-table" => none(catalog.rename_table(&self.name("table")?, &self.name("to")?).await),
            "drop-table" => none(catalog.drop_table(&self.name("table")?).await),
            "register-table" => none(catalog.register_table(&self.name("table")?, self.text("metadata-location")).await),
            "file-properties" => Ok(json!(self.table().await?.file_io().config().props())),
            "file-properties-repeatedly" => self.file_properties_repeatedly().await,
            _ => Err(Error::new(ErrorKind::FeatureUnsupported, "the client has nothing for this task")),
        }
    }

    async fn list_tables(&self) -> Result<Value> {
        let found = self.catalog.list_tables(&self.levels("namespace")?).await?;
        Ok(found.iter().map(TableIdent::name).collect())
    }

    async fn list_tables_repeatedly(&self) -> Result<Value> {
        let mut found = vec![self.list_tables().await.unwrap_or_default()];
        for _ in 1..self.times() {
            self.pause().await;
            found.push(self.list_tables().await.unwrap_or_default());
        }
        Ok(json!(found))
    }

    async fn create_table(&self) -> Result<Value> {
        let columns = [
            NestedField::required(1, "id", Type::Primitive(PrimitiveType::Long)).into(),
            NestedField::optional(2, "data", Type::Primitive(PrimitiveType::String)).into(),
        ];
        let schema = Schema::builder().with_fields(columns).build()?;
        let creation = TableCreation::builder().name(self.text("table")).schema(schema).build();
        none(self.catalog.create_table(&self.levels("namespace")?, creation).await)
    }

    async fn read_ref(&self) -> Result<Value> {
        let (table, name) = (self.table().await?, self.text("ref"));
        match table.metadata().snapshot_for_ref(&name) {
            Some(snapshot) => rows::read(&table, Some(snapshot.snapshot_id())).await,
            None => Err(Error::new(ErrorKind::DataInvalid, format!("the table has no reference {name}"))),
        }
    }

    async fn load_table_repeatedly(&self) -> Result<Value> {
        let mut found = vec![described(&self.table().await?)];
        for _ in 1..self.times() {
            self.pause().await;
            found.push(described(&self.table().await?));
        }
        Ok(json!(found))
    }

    async fn set(&self, table: &Table, member: &str) -> Result<Table> {
        let change = Transaction::new(table);
        let mut action = change.update_table_properties();
        for (key, value) in self.texts(member) {
            action = action.set(key, value);
        }
        action.apply(change)?.commit(&self.catalog).await
    }

    async fn add_column(&self) -> Result<Value> {
        let change = Transaction::new(&self.table().await?);
        let column = AddColumn::optional(self.text("column"), Type::Primitive(PrimitiveType::String));
        none(change.update_schema().add_column(column).apply(change)?.commit(&self.catalog).await)
    }

    async fn file_properties_repeatedly(&self) -> Result<Value> {
        let table = self.table().await?;
        let mut found = vec![json!(table.file_io().config().props())];
        for _ in 1..self.times() {
            self.pause().await;
            found.push(json!(table.file_io().config().props()));
        }
        Ok(json!(found))
    }
}

fn none<T>(done: Result<T>) -> Result<Value> {
    done.map(|_| Value::Null)
}

fn described(table: &Table) -> Value {
    let metadata = table.metadata();
    json!({
        "uuid": metadata.uuid(),
        "location": metadata.location(),
        "properties": metadata.properties(),
        "snapshot-ids": metadata.snapshots().map(|snapshot| snapshot.snapshot_id()).collect::<Vec<_>>(),
        "current-snapshot-id": metadata.current_snapshot_id(),
    })
}

async fn attempt(name: &str, given: Value) -> Result<Value> {
    let mut properties: HashMap<String, String> = serde_json::from_value(given["properties"].clone()).unwrap_or_default();
    properties.insert("uri".into(), given["uri"].as_str().unwrap_or_default().into());
    let catalog = RestCatalogBuilder::default()
        .with_storage_factory(Arc::new(LocalFsStorageFactory))
        .load("checked", properties)
        .await?;
    Task { catalog, given }.perform(name).await
}

async fn answer(line: &str) -> Value {
    let asked: Value = serde_json::from_str(line).expect("a line is JSON");
    match attempt(asked["task"].as_str().unwrap_or_default(), asked["arguments"].clone()).await {
        Ok(result) => json!({"result": result}),
        Err(error) if error.kind() == ErrorKind::FeatureUnsupported => json!({"not_offered": true}),
        Err(error) => json!({"error": {"type": error.kind().into_static(), "message": error.to_string()}}),
    }
}

#[tokio::main]
async fn main() {
    for line in std::io::stdin().lock().lines() {
        println!("{}", answer(&line.expect("a line is UTF-8")).await);
        std::io::stdout().flush().expect("the answer is read");
    }
}
