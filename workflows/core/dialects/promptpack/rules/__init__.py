"""What a pack may get wrong, by theme. Codes: PP1 shape, PP2 workflow, PP3 prompts and texts, PP4
agents, PP5 checks and scores, PP6 compositions, PP9 differences of PromptKit."""

from workflows.core.dialects.promptpack.rules import (
    agents,
    check_types,
    compositions,
    export_findings,
    loops,
    promptkit,
    prompts,
    quality,
    read_findings,
    shape,
    texts,
    values,
    versions,
    workflow,
)
from workflows.core.pack.findings import rules_of

RULES = rules_of(
    read_findings,
    shape,
    workflow,
    loops,
    texts,
    prompts,
    agents,
    quality,
    compositions,
    promptkit,
    export_findings,
    versions,
    check_types,
    values,
)

COVERED = frozenset({"GR101", "GR102", "GR103", "GR105", "GR106", "GR109"})
"""Rules over any graph that rules here say better, with a fix."""
