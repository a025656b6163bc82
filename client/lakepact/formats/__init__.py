"""Files of others, read within limits: a few bytes of Avro or Parquet can claim to be gigabytes."""
