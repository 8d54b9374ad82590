"""Names and limits of the runtimes, by profile."""

from __future__ import annotations

PROFILES = ("claude-code", "opencode", "qwen", "open", "pi")
MODELS = ("haiku", "sonnet", "opus", "fable", "inherit")
"""Aliases of models in `claude-code`."""
DEAR = ("opus", "fable")
EFFORTS = ("low", "medium", "high", "xhigh", "max")
HIGH_EFFORTS = ("high", "xhigh", "max")
ISOLATIONS = ("worktree",)
_COMMON = ("label", "phase", "schema", "model", "effort", "agentType", "isolation")
OPTIONS = {
    "claude-code": _COMMON,
    "opencode": _COMMON,
    "qwen": (*_COMMON, "tools", "disallowedTools", "workingDir", "stallMs", "stepId"),
    "open": ("label", "phase", "schema", "model", "agentType", "isolation", "adapter"),
    "pi": (*_COMMON, "tier", "timeoutMs", "retries", "retainWorktree", "worktree"),
}
META = ("name", "description", "whenToUse", "phases", "model")
GUIDELINE = 25
"""Number of agents from which the vendor's dialog warns of a large workflow."""
MOST_AGENTS = 1_000
"""Agents of a run; the next call throws."""
MOST_ITEMS = 4_096
"""Items of one fan-out."""
