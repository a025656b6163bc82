//! Drives iceberg-rust against the REST catalog at the address that is its argument, and tells each step as it goes:
//! "ok", or "FAIL" with the reason, and the name of the step, with tabs between them.
//!
//! The table files are written by the client, so it has to see the catalog's warehouse.
use std::collections::HashMap;
use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, new_null_array};
use futures::TryStreamExt;
use iceberg::arrow::schema_to_arrow_schema;
use iceberg::io::LocalFsStorageFactory;
use iceberg::spec::{
    DataFileFormat, FormatVersion, NestedField, NullOrder, PrimitiveType, Schema, Transform, Type, UnboundPartitionSpec,
};
use iceberg::table::Table;
use iceberg::transaction::{AddColumn, ApplyTransactionAction, Transaction};
use iceberg::writer::base_writer::data_file_writer::DataFileWriterBuilder;
use iceberg::writer::file_writer::ParquetWriterBuilder;
use iceberg::writer::file_writer::location_generator::{DefaultFileNameGenerator, DefaultLocationGenerator};
use iceberg::writer::file_writer::rolling_writer::RollingFileWriterBuilder;
use iceberg::writer::{IcebergWriter, IcebergWriterBuilder};
use iceberg::{Catalog, CatalogBuilder, Error, NamespaceIdent, Result, TableCreation, TableIdent};
use iceberg_catalog_rest::RestCatalogBuilder;
use parquet::file::properties::WriterProperties;

fn tell<T>(name: &str, outcome: std::result::Result<T, String>) -> Option<T> {
    match outcome {
        Ok(value) => {
            println!("ok\t{name}");
            Some(value)
        }
        Err(why) => {
            println!("FAIL\t{name}\t{}", why.replace('\n', " "));
            None
        }
    }
}

/// A step that succeeds when the call does.
async fn works<T>(name: &str, call: impl Future<Output = Result<T>>) -> Option<T> {
    tell(name, call.await.map_err(|error: Error| error.to_string()))
}

/// A step that succeeds when the call gives this.
async fn gives<T: PartialEq + Debug>(name: &str, wanted: T, call: impl Future<Output = Result<T>>) {
    let outcome = match call.await {
        Ok(got) if got == wanted => Ok(()),
        Ok(got) => Err(format!("expected {wanted:?}, got {got:?}")),
        Err(error) => Err(error.to_string()),
    };
    tell(name, outcome);
}

fn is<T: PartialEq + Debug>(name: &str, wanted: T, got: T) {
    tell(name, if got == wanted { Ok(()) } else { Err(format!("expected {wanted:?}, got {got:?}")) });
}

fn columns() -> Schema {
    let fields = [
        NestedField::required(1, "id", Type::Primitive(PrimitiveType::Long)),
        NestedField::optional(2, "name", Type::Primitive(PrimitiveType::String)),
    ];
    Schema::builder().with_fields(fields.map(Arc::new)).with_identifier_field_ids([1]).build().expect("a valid schema")
}

/// Append a Parquet file of so many rows to a table as it was loaded.
async fn append(catalog: &dyn Catalog, table: &Table, rows: i64, prefix: &str) -> Result<Table> {
    let schema = table.metadata().current_schema().clone();
    let shape = Arc::new(schema_to_arrow_schema(&schema)?);
    let names = (0..rows).map(|row| format!("{prefix} {row}"));
    let mut values: Vec<ArrayRef> =
        vec![Arc::new(Int64Array::from_iter_values(0..rows)), Arc::new(StringArray::from_iter_values(names))];
    values.extend(shape.fields().iter().skip(2).map(|field| new_null_array(field.data_type(), rows as usize)));
    let files = RollingFileWriterBuilder::new_with_default_file_size(
        ParquetWriterBuilder::new(WriterProperties::default(), schema),
        table.file_io().clone(),
        DefaultLocationGenerator::new(table.metadata())?,
        DefaultFileNameGenerator::new(prefix.into(), None, DataFileFormat::Parquet),
    );
    let mut writer = DataFileWriterBuilder::new(files).build(None).await?;
    writer.write(RecordBatch::try_new(shape, values).expect("values of these types")).await?;
    let tx = Transaction::new(table);
    tx.fast_append().add_data_files(writer.close().await?).apply(tx)?.commit(catalog).await
}

async fn count(table: &Table) -> Result<usize> {
    let found: Vec<RecordBatch> = table.scan().build()?.to_arrow().await?.try_collect().await?;
    Ok(found.iter().map(RecordBatch::num_rows).sum())
}

async fn namespaces(catalog: &dyn Catalog, ns: &NamespaceIdent) -> Result<()> {
    let outer = NamespaceIdent::new(format!("{}_outer", ns.as_ref()[0]));
    let inner = NamespaceIdent::from_vec(vec![outer.as_ref()[0].clone(), "inner".into()])?;

    works("create namespace", catalog.create_namespace(ns, HashMap::from([("made-by".into(), "rust".into())]))).await;
    if let Some(found) = works("get namespace", catalog.get_namespace(ns)).await {
        is("namespace keeps its properties", Some("rust"), found.properties().get("made-by").map(String::as_str));
    }
    gives("namespace exists", true, catalog.namespace_exists(ns)).await;
    if let Some(found) = works("list namespaces", catalog.list_namespaces(None)).await {
        is("namespace is listed", true, found.contains(ns));
    }
    works("create parent namespace", catalog.create_namespace(&outer, HashMap::new())).await;
    works("create nested namespace", catalog.create_namespace(&inner, HashMap::new())).await;
    gives("list nested namespaces", vec![inner.clone()], catalog.list_namespaces(Some(&outer))).await;
    works("drop nested namespace", catalog.drop_namespace(&inner)).await;
    works("drop parent namespace", catalog.drop_namespace(&outer)).await;
    is("a namespace that exists is refused", true, catalog.create_namespace(ns, HashMap::new()).await.is_err());
    Ok(())
}

async fn tables(catalog: &dyn Catalog, ns: &NamespaceIdent, id: &TableIdent) -> Result<()> {
    let bucketed = UnboundPartitionSpec::builder().add_partition_field(1, "id_bucket", Transform::Bucket(4))?.build();
    for (name, spec) in [("numbered", bucketed.clone().with_spec_id(0)), ("unnumbered", bucketed)] {
        let step = format!("create partitioned table, spec-id {:?}", spec.spec_id());
        let creation = TableCreation::builder().name(name.into()).schema(columns()).partition_spec(spec).build();
        if let Some(table) = works(&step, catalog.create_table(ns, creation)).await {
            is(&format!("{step}: kept"), 1, table.metadata().default_partition_spec().fields().len());
        }
    }
    let missing = TableIdent::new(ns.clone(), "missing".into());
    gives("table exists", true, catalog.table_exists(id)).await;
    gives("absent table does not exist", false, catalog.table_exists(&missing)).await;
    is("absent table does not load", true, catalog.load_table(&missing).await.is_err());
    let again = TableCreation::builder().name(id.name().into()).schema(columns()).build();
    is("a table that exists is refused", true, catalog.create_table(ns, again).await.is_err());
    if let Some(found) = works("list tables", catalog.list_tables(ns)).await {
        is("the tables are listed", (3, true), (found.len(), found.contains(id)));
    }
    Ok(())
}

async fn commits(catalog: &dyn Catalog, id: &TableIdent, created: &Table) -> Result<()> {
    let tx = Transaction::new(created);
    let tx = tx.update_table_properties().set("made-by".into(), "rust".into()).apply(tx)?;
    if let Some(table) = works("commit: set properties", tx.commit(catalog)).await {
        is("property is set", Some("rust"), table.metadata().properties().get("made-by").map(String::as_str));
    }
    if let Some(table) = works("load table", catalog.load_table(id)).await {
        let tx = Transaction::new(&table);
        let extra = AddColumn::optional("extra", Type::Primitive(PrimitiveType::String));
        let tx = tx.update_schema().add_column(extra).apply(tx)?;
        if let Some(table) = works("commit: add column", tx.commit(catalog)).await {
            is("column is added", true, table.metadata().current_schema().field_by_name("extra").is_some());
        }
    }
    let table = catalog.load_table(id).await?;
    let tx = Transaction::new(&table);
    let tx = tx.replace_sort_order().asc("id", NullOrder::First).apply(tx)?;
    if let Some(table) = works("commit: replace sort order", tx.commit(catalog)).await {
        is("sort order is replaced", 1, table.metadata().default_sort_order().fields.len());
    }
    Ok(())
}

async fn data(catalog: &dyn Catalog, id: &TableIdent) -> Result<()> {
    let stale = catalog.load_table(id).await?;
    if let Some(table) = works("commit: append 10 rows", append(catalog, &stale, 10, "first")).await {
        gives("scan", 10, count(&table)).await;
    }
    if let Some(table) = works("commit: append on a stale table (retry)", append(catalog, &stale, 5, "second")).await {
        gives("scan again", 15, count(&table)).await;
        is("two snapshots", 2, table.metadata().snapshots().count());
        let tx = Transaction::new(&table);
        let tx = tx.upgrade_table_version().set_format_version(FormatVersion::V3).apply(tx)?;
        if let Some(table) = works("commit: upgrade to format version 3", tx.commit(catalog)).await {
            is("format version is 3", FormatVersion::V3, table.metadata().format_version());
        }
    }
    Ok(())
}

async fn moves(catalog: &dyn Catalog, ns: &NamespaceIdent, id: &TableIdent) -> Result<()> {
    let (renamed, back) = (TableIdent::new(ns.clone(), "renamed".into()), TableIdent::new(ns.clone(), "back".into()));
    works("rename table", catalog.rename_table(id, &renamed)).await;
    gives("the old name is free", false, catalog.table_exists(id)).await;
    if let Some(table) = works("load renamed table", catalog.load_table(&renamed)).await {
        let location = table.metadata_location().unwrap_or_default().to_string();
        works("drop table", catalog.drop_table(&renamed)).await;
        if let Some(table) = works("register table", catalog.register_table(&back, location)).await {
            gives("registered table has its rows", 15, count(&table)).await;
        }
    }
    works("purge table", catalog.purge_table(&back)).await;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::args().nth(1).expect("the address of a catalog");
    let started = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970").as_nanos();
    let ns = NamespaceIdent::new(format!("rust_{started:x}"));
    let id = TableIdent::new(ns.clone(), "events".into());

    let builder = RestCatalogBuilder::default().with_storage_factory(Arc::new(LocalFsStorageFactory));
    let catalog = works("load catalog", builder.load("rest", HashMap::from([("uri".into(), url)]))).await.expect("a catalog");
    let catalog: &dyn Catalog = &catalog;
    namespaces(catalog, &ns).await?;
    let creation = TableCreation::builder().name("events".into()).schema(columns()).build();
    let created = works("create table", catalog.create_table(&ns, creation)).await.expect("a table");
    tables(catalog, &ns, &id).await?;
    commits(catalog, &id, &created).await?;
    data(catalog, &id).await?;
    moves(catalog, &ns, &id).await?;
    is("a namespace with tables is not dropped", true, catalog.drop_namespace(&ns).await.is_err());
    for name in ["numbered", "unnumbered"] {
        works(&format!("drop {name} table"), catalog.drop_table(&TableIdent::new(ns.clone(), name.into()))).await;
    }
    works("drop namespace", catalog.drop_namespace(&ns)).await;
    gives("namespace is gone", false, catalog.namespace_exists(&ns)).await;
    Ok(())
}
