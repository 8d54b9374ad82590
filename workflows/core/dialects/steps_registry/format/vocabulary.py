"""The fixed vocabulary of the format: kinds, the seven intents, aliases, verdict types.

Sources: specs of the format, sections 1.9, 3.2(e), 4.4 and 6.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Generation: TypeAlias = Literal["S", "A", "B", "legacy"]

INTENTS = ("next", "repeat", "jump", "closing", "abort", "escalate", "handoff")

KINDS = ("work", "verification", "closure")

KIND_OF_C2 = {
    "initial": "work",
    "continuation": "work",
    "verification": "verification",
    "closure": "closure",
}

ALLOWED: dict[str, tuple[str, ...]] = {
    "work": ("next", "repeat", "jump", "handoff"),
    "verification": ("next", "repeat", "jump", "escalate"),
    "closure": ("closing", "repeat"),
}

BOUNDARY: dict[tuple[str, str], tuple[str, ...]] = {
    ("work", "next"): ("work", "verification"),
    ("work", "jump"): ("work", "verification"),
    ("work", "handoff"): ("closure",),
    ("verification", "escalate"): ("work", "verification"),
    ("closure", "repeat"): ("work",),
}
"""Step kinds to which an intent may lead in Climpt's `--validate`; a missing entry means any. A
step may always target itself."""


def boundary(kind: str | None, intent: str, profile: str) -> tuple[str, ...] | None:
    """The step kinds to which an intent may lead; None means any. The document sets no limit: its
    project flow hands off from work to work and repeats a review as another step."""
    return BOUNDARY.get((kind or "", intent)) if profile == "climpt" else None


ALIASES = {
    **{intent: intent for intent in INTENTS},
    "continue": "next",
    "retry": "repeat",
    "wait": "repeat",
    "done": "closing",
    "finished": "closing",
    "pass": "next",
    "fail": "repeat",
}

VERDICTS = (
    "poll:state",
    "count:iteration",
    "count:check",
    "detect:keyword",
    "detect:structured",
    "detect:graph",
    "meta:composite",
    "meta:custom",
)

VALIDATION_KEY = {
    "poll:state": "closure.polling",
    "count:iteration": "closure.iteration",
    "count:check": "closure.check",
    "detect:keyword": "closure.keyword",
    "detect:structured": "closure.structured",
    "detect:graph": "closure.graph",
    "meta:composite": "closure.composite",
    "meta:custom": "closure.custom",
}

RUNTIME_VARIABLES = (
    "iteration",
    "completed_iterations",
    "completion_keyword",
    "max_iterations",
    "remaining",
    "previous_summary",
    "check_count",
    "max_checks",
)

FLOW_ONLY_VARIABLES = (
    "max_iterations",
    "remaining",
    "previous_summary",
    "check_count",
    "max_checks",
)

TARGET_MODES = ("explicit", "dynamic", "conditional")
DYNAMIC_INTENTS = ("next", "jump")
"""Intents whose target an answer may name under the target mode dynamic."""

MODELS = ("sonnet", "opus", "haiku")
PERMISSIONS = ("default", "plan", "acceptEdits", "bypassPermissions")

ANY_TOOL = "*"
"""The element of `allowedTools` for every tool: Climpt's default for an agent without a list."""

GIT_EXTRACTORS = (
    "parseChangedFiles",
    "parseUntrackedFiles",
    "parseStagedFiles",
    "parseUnstagedFiles",
)
"""Extractors that read the output of `git status --porcelain`."""

EXTRACTORS = (
    *GIT_EXTRACTORS,
    "parseTestOutput",
    "failedTests",
    "errorOutput",
    "parseTypeErrors",
    "errors",
    "extractFiles",
    "files",
    "parseLintErrors",
    "lintErrors",
    "lintFiles",
    "parseFormatOutput",
    "formatFiles",
    "generateDiff",
    "diff",
    "stdout",
    "stderr",
    "exitCode",
    "missingPaths",
    "expectedPath",
)

PHASE_OF_SLOT = {"preflightConditions": "preflight", "postLLMConditions": "postllm"}
"""Lists of conditions since 1.14, and the `phase` of the validators in them."""

CONDITION_SLOTS = ("validationConditions", *PHASE_OF_SLOT)

NO_STEP = {"handoff": "SR-TRANS-006", "escalate": "SR-TRANS-008"}
"""Climpt's code for an unknown target; SR-TRANS-001 for other intents."""

NO_RULE = {"handoff": "SR-TRANS-004", "escalate": "SR-TRANS-007"}
"""Climpt's code for an allowed intent without a rule; SR-TRANS-003 for other intents."""

TO_NULL = {"handoff": "SR-TRANS-005", "escalate": "SR-TRANS-009"}
"""Climpt's code for a null target; SR-TRANS-002 for other intents."""

CHAIN_ELEMENT = re.compile(r"[A-Za-z0-9._-]+")

DEFAULT_CHAIN = ("default",)
"""The chain of a 1.14 step without `adaptationChain`: the second `repeat` in a row ends the run."""

FALLBACK_KEYS = (
    *(
        f"{phase}_{topic}"
        for topic in (
            "iterate",
            "issue",
            "issue_label_only",
            "project",
            "keyword",
            "manual",
            "structured_signal",
        )
        for phase in ("initial", "continuation")
    ),
    "continuation_project_preparation",
    "continuation_project_processing",
    "continuation_project_review",
    "issue_closure_default",
    "project_closure_default",
    "polling_closure_default",
    "review_closure_default",
    "iteration_closure_default",
    "facilitation_closure_default",
    "project_continuation_closure_default",
    "statuscheck_continuation_default",
    "system",
)
"""Built-in prompts up to 1.13.22, by `fallbackKey`."""

CLIMPT = "Climpt 1.13.27"

RELEASES: dict[Generation, str] = {"S": "1.13.15", "A": "1.13.27", "B": "1.14", "legacy": ""}
"""The Climpt release of each generation. The profile `climpt` behaves like it."""
