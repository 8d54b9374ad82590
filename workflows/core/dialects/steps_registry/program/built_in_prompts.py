"""The built-in prompts that `fallbackKey` names: the keys of the format's document, with texts of
our own."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.format.steps import Step

KEYWORD = "TASK_COMPLETE"
"""The keyword of a verdict without `verdictKeyword`."""

BEGIN = "Begin the work. Read the task, write down a short plan, and take its first step."
GO_ON = (
    "Continue the work. This is iteration {uv-iteration}. So far: {uv-previous_summary}\n\n"
    "Take the next step. Do not repeat what is done."
)
CLOSE = "Check that the work is complete. Close it only if nothing is left; otherwise list what is."

TOPICS = {
    "iterate": "The work has {uv-max_iterations} iterations; {uv-remaining} remain after this one.",
    "issue": "The work is an issue. It is complete when the issue is resolved.",
    "issue_label_only": (
        "The work is an issue. When it is resolved, only its labels change; it stays open."
    ),
    "project": "The work is a project of several issues. Work on one issue at a time.",
    "keyword": "Write KEYWORD as soon as the work is complete, and not before.",
    "structured_signal": (
        "Report the completion as a JSON object in a code block, as soon as the work is complete."
    ),
}
"""Topic of a key → the part of its prompts besides beginning or continuing."""

PHASES = {
    "preparation": "Prepare the project: list its issues and put them in order.",
    "processing": "Work on the next issue of the project.",
    "review": "Review the project: is every issue resolved, and does the result fit together?",
}

CLOSURES = {
    "issue": "The issue is about to be closed.",
    "project": "The project is about to be closed.",
    "polling": "The work that you watch is about to be closed.",
    "review": "The review is about to be closed.",
    "iteration": "The iterations are used up.",
    "facilitation": "The facilitation is about to be closed.",
}

SYSTEM = (
    "You are an agent that works in steps. Do what the step asks, with the tools that you have. "
    "Answer in the form that the step asks for."
)


def _texts() -> dict[str, str]:
    texts = {}
    for topic, about in TOPICS.items():
        texts[f"initial_{topic}"] = f"{BEGIN}\n\n{about}"
        texts[f"continuation_{topic}"] = f"{GO_ON}\n\n{about}"
    for phase in ("initial", "continuation"):
        texts[f"{phase}_manual"] = texts[f"{phase}_keyword"]
    for phase, about in PHASES.items():
        texts[f"continuation_project_{phase}"] = f"{GO_ON}\n\n{about}"
    for topic, about in CLOSURES.items():
        texts[f"{topic}_closure_default"] = f"{about}\n\n{CLOSE}"
    texts["project_continuation_closure_default"] = (
        f"A phase of the project is about to end.\n\n{CLOSE}"
    )
    texts["statuscheck_continuation_default"] = (
        "Check the state of the work again. This is check {uv-check_count}."
    )
    texts["system"] = SYSTEM
    return texts


TEXTS = _texts()
"""Key → text. The placeholders are variables that every run supplies."""


def built_in_prompt(step: Step, key: str, keyword: str = "") -> str | None:
    """The prompt of a step by its key: the text with the verdict's keyword, the step's own
    variables, and the field of the intent. None for an unknown key."""
    text = TEXTS.get(key)
    if text is None:
        return None
    name = str(step.value.get("name") or step.id)
    parts = [f"# {name}", text.replace("KEYWORD", keyword or KEYWORD)]
    if step.variables:
        fields = (f"- {item.removeprefix('uv-')}: {_placeholder(item)}" for item in step.variables)
        parts.append("\n".join(fields))
    field = (step.gate or {}).get("intentField")
    if isinstance(field, str) and step.allowed:
        parts.append(f"Set `{field}` to one of: {', '.join(step.allowed)}.")
    return "\n\n".join(parts) + "\n"


def _placeholder(variable: str) -> str:
    return "{uv-" + variable.removeprefix("uv-") + "}"


def no_prompt_for(step: Step, key: str) -> str:
    """The document's message for an unknown key."""
    return f'No fallback prompt found for key: "{key}" (step: {step.id})'
