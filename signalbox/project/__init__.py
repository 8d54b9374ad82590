"""A repository that uses Signalbox: its settings file, its baseline, its changed files."""
