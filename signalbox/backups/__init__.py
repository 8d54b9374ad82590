"""Backups of an installation: one file, for SQLite and PostgreSQL."""
