"""Engines that run the workers of a campaign: local processes or Spark."""
