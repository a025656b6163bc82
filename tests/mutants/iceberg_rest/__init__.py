"""Misbehaviours of the Iceberg REST catalog: a module for each module of checks, and in `ways` what several are made from."""
