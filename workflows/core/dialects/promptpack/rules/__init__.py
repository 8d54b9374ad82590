"""What a pack may get wrong, by theme. Codes: PP1 shape, PP2 workflow, PP3 prompts and texts, PP4
agents, PP5 checks and scores, PP6 compositions, PP9 differences of PromptKit."""

from workflows.core.findings import rules_of

RULES = rules_of()
