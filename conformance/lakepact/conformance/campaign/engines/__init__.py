"""Where the workers of a campaign run: local processes or Spark."""
