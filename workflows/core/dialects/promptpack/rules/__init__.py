"""The rules of PromptPacks, one module per subject.

Codes: PP1 shape, PP2 workflow, PP3 prompts and texts, PP4 agents, PP5 checks and scores, PP6
compositions, PP9 differences of PromptKit.
"""

from workflows.core.pack.causes import UNREACHABLE, Causes

COVERED = frozenset({"GR101", "GR102", "GR103", "GR105", "GR106", "GR109"})
"""General rules that are off, because rules here report the same problem with a fix."""

_BROKEN = ("PP202", "PP204", "PP209")
CAUSES = Causes(
    anywhere={
        **dict.fromkeys(UNREACHABLE, _BROKEN),
        "PP325": ("PP203",),
        "PP321": ("PP320",),
    },
    here=dict.fromkeys(("PP110", "PP111", "PP214"), ("PP117",)),
)
"""A transition or an entry that leads nowhere makes other states unreachable."""
