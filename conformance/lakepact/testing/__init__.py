"""pytest: fixtures for projects that use a catalog or shared tables, and requirements as tests."""
