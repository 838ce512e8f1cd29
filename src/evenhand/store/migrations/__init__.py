"""The versions of the tables, one migration from each to the next, run by Alembic."""
