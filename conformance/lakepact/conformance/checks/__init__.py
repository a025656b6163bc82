"""The checks, a folder for each contract, a module for each area of its registry."""
