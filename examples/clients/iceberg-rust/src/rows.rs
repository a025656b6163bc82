//! Rows of a table with the columns `id` and `data`, written and read as Parquet.
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use futures::TryStreamExt;
use iceberg::spec::DataFileFormat;
use iceberg::table::Table;
use iceberg::transaction::{ApplyTransactionAction, Transaction};
use iceberg::writer::base_writer::data_file_writer::DataFileWriterBuilder;
use iceberg::writer::file_writer::ParquetWriterBuilder;
use iceberg::writer::file_writer::location_generator::{DefaultFileNameGenerator, DefaultLocationGenerator};
use iceberg::writer::file_writer::rolling_writer::RollingFileWriterBuilder;
use iceberg::writer::{IcebergWriter, IcebergWriterBuilder};
use iceberg::{Catalog, Error, ErrorKind, Result};
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};

/// Writes a file with these rows and commits it.
pub async fn append(catalog: &dyn Catalog, table: &Table, rows: &Value) -> Result<Table> {
    let rows = rows.as_array().cloned().unwrap_or_default();
    let schema = table.metadata().current_schema().clone();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values(rows.iter().filter_map(|row| row["id"].as_i64()))),
        Arc::new(StringArray::from_iter(rows.iter().map(|row| row["data"].as_str()))),
    ];
    let batch = RecordBatch::try_new(Arc::new(iceberg::arrow::schema_to_arrow_schema(&schema)?), columns)
        .map_err(|error| Error::new(ErrorKind::DataInvalid, error.to_string()))?;
    let files = RollingFileWriterBuilder::new_with_default_file_size(
        ParquetWriterBuilder::new(WriterProperties::default(), schema),
        table.file_io().clone(),
        DefaultLocationGenerator::new(table.metadata())?,
        DefaultFileNameGenerator::new(unique_name(), None, DataFileFormat::Parquet),
    );
    let mut writer = DataFileWriterBuilder::new(files).build(None).await?;
    writer.write(batch).await?;
    let change = Transaction::new(table);
    change
        .fast_append()
        .add_data_files(writer.close().await?)
        .apply(change)?
        .commit(catalog)
        .await
}

/// Returns the beginning of file names that no other append has.
fn unique_name() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("rows-{}-{}", std::process::id(), since.as_nanos())
}

/// Returns all rows of a snapshot, or of the current one.
pub async fn read(table: &Table, snapshot: Option<i64>) -> Result<Value> {
    let scan = match snapshot {
        Some(id) => table.scan().snapshot_id(id),
        None => table.scan(),
    };
    let batches: Vec<RecordBatch> = scan.build()?.to_arrow().await?.try_collect().await?;
    let mut rows = Vec::new();
    for batch in &batches {
        let schema = batch.schema();
        for row in 0..batch.num_rows() {
            let columns = schema.fields().iter().zip(batch.columns());
            rows.push(columns.map(|(field, column)| (field.name().clone(), cell(column, row))).collect::<Value>());
        }
    }
    Ok(json!(rows))
}

/// Returns the value of a column in a row: an integer, a text or null.
fn cell(column: &ArrayRef, row: usize) -> Value {
    match column.as_primitive_opt::<Int64Type>() {
        Some(numbers) => json!(numbers.is_valid(row).then(|| numbers.value(row))),
        None => json!(column.is_valid(row).then(|| column.as_string::<i32>().value(row))),
    }
}
