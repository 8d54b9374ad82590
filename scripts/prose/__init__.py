"""The prose linter: keeps old idiom out of docs, UI strings, findings, docstrings and tests."""
