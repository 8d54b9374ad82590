"""Export for Climpt 1.14, which renames the keys for closing an issue and requires a source of
issues."""

from __future__ import annotations

from workflows.core.dialects.base import ExportFormat, ExportResult
from workflows.core.dialects.climpt_workflow.format.parts import Agent
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.findings import Finding
from workflows.core.pack.forms import Json
from workflows.core.text.json.document import JsonText

OLD_KEYS = ("closeOnComplete", "closeCondition")


def export(source: WorkflowSource) -> ExportResult:
    """The same bytes with the keys of 1.14. Raises EditRefused for a file that has them."""
    if source.parts.is_1_14:
        raise EditRefused("The workflow has the keys of 1.14 already.", where=source.main)

    def change(text: JsonText) -> JsonText:
        if not text.has(("issueSource",)):
            before = "phases" if text.has(("phases",)) else None
            text = text.insert(("issueSource",), {"kind": "ghRepoIssues"}, before=before)
        for agent in source.parts.agents.values():
            text = _with_binding(text, agent)
        return text

    note = Finding(
        code="CW303",
        level="hint",
        message="1.14 requires issueSource; all issues of the repository were assumed.",
        place=source.place("issueSource"),
        hint="Choose a GitHub project or a list of issues instead, if that is meant.",
    )
    return ExportResult(files=source.edit(change).files, findings=(note,))


def _with_binding(text: JsonText, agent: Agent) -> JsonText:
    """`closeBinding` instead of the older keys of an agent, at their place."""
    here = ("agents", agent.id)
    old_keys = [key for key in OLD_KEYS if key in agent.value]
    if not old_keys:
        return text
    closes = agent.value.get("closeOnComplete") is True
    binding: dict[str, Json] = {"primary": {"kind": "direct" if closes else "none"}}
    binding["cascade"] = False
    if closes and isinstance(agent.value.get("closeCondition"), str):
        binding["condition"] = agent.value["closeCondition"]
    text = text.rename((*here, old_keys[0]), "closeBinding").set((*here, "closeBinding"), binding)
    for key in old_keys[1:]:
        text = text.delete((*here, key))
    return text


EXPORTS = (
    ExportFormat(
        name="climpt-workflow-1.14",
        title="Climpt 1.14",
        description="With closeBinding and issueSource, which the unreleased 1.14 requires.",
        make=export,
    ),
)
