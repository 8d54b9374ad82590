"""Regular expressions that a pack, a model or a user wrote: the only place that runs them.

Compiling and matching them is bounded in time and memory, and leaves Python's lock to other
threads. Each engine reads the syntax of the program that the pattern was written for:

- `linear`: RE2, for PromptPack (PromptKit is written in Go) and for the tools that search files
- `javascript`: ECMAScript, for Climpt and its prompt paths
- `json_schema`: `pattern` and `patternProperties` of JSON Schemas

Signalbox's own expressions are constants and use `re`. `tests/house/test_patterns.py` finds others.
"""

from workflows.core.patterns.problems import MAX_PATTERN, PatternError

__all__ = ["MAX_PATTERN", "PatternError"]
