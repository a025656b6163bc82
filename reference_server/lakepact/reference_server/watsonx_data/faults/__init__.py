"""What the catalog of watsonx.data gets wrong when it is asked to: its own differences here, and all that the Iceberg one can."""
