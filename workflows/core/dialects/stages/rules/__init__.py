"""The rules of stages by subject. Codes: ST1 files, ST20 the eight keys, ST22 tools,
ST23 schemas, ST3 prompts, ST4 successors, ST50 conditions, ST52 hooks of a stage, ST54 grants, ST6
what is exported for stud-cli."""

from workflows.core.dialects.stages.rules import (
    bodies,
    cases,
    conditions,
    contract,
    export_findings,
    files,
    grants,
    handover,
    hooks,
    inputs,
    loops,
    policies,
    read_findings,
    schemas,
    slots,
    steps,
    successors,
    tools,
)
from workflows.core.pack.findings import rules_of

RULES = rules_of(
    read_findings,
    files,
    contract,
    policies,
    tools,
    schemas,
    bodies,
    handover,
    inputs,
    successors,
    steps,
    loops,
    conditions,
    cases,
    hooks,
    slots,
    grants,
    export_findings,
)

COVERED = frozenset({"GR101", "GR102", "GR103", "GR105", "GR109"})
"""General rules that rules of this dialect replace, with the name in stud-cli and a fix. Dead ends
do not exist: a stage without a successor ends its branch."""
