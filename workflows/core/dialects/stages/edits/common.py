"""Steps that several edits share."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.stages.format.parts import Plan
from workflows.core.dialects.stages.format.repair import kebab
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import EditRefused, missing_element
from workflows.core.pack.files import BadFiles, clean_path
from workflows.core.text.json.document import JsonText, Pointer
from workflows.core.text.tolerant import as_list

SEQUENTIAL = "sequential"
PARALLEL_EXECUTION = "parallel"


def text_of(source: StagesSource) -> JsonText:
    """The text of the pipeline. Raises EditRefused if the pack has none."""
    if source.pipeline is None:
        raise EditRefused(
            "These stages have no pipeline yet.", hint="Connect two stages or set the entry."
        )
    return source.pipeline


def need_stage(source: StagesSource, stage: str) -> None:
    """Raise EditRefused if there is no such stage."""
    if stage not in source.stages:
        raise missing_element(f"state:{stage}", kind="stage")


def next_result(*stages: str, parallel: bool = False) -> dict[str, Any]:
    """A NextResult in the form of the format."""
    execution = PARALLEL_EXECUTION if parallel else SEQUENTIAL
    return {"nextStages": list(stages), "execution": execution}


def with_target(text: JsonText, plan: Plan, target: str, *, parallel: bool) -> JsonText:
    """The plan with a further stage, before a listed join."""
    if not isinstance(text.get(plan.pointer), dict):
        return text.put(plan.pointer, next_result(target, parallel=parallel))
    listed = text.get((*plan.pointer, "nextStages"))
    here = (*plan.pointer, "nextStages")
    if isinstance(listed, list) and listed:
        last = listed.index(plan.join) if plan.join_listed else len(listed)
        text = text.insert(here, target, index=last)
    else:
        text = text.set(here, [target])
    return with_execution(text, plan, parallel=parallel)


def with_execution(text: JsonText, plan: Plan, *, parallel: bool) -> JsonText:
    """The plan as parallel or sequential."""
    if parallel == plan.parallel and not plan.terminate:
        return text
    if plan.terminate and text.get((*plan.pointer, "kind")) == "terminate":
        text = text.delete((*plan.pointer, "kind"))
    wanted = PARALLEL_EXECUTION if parallel else SEQUENTIAL
    return text.set((*plan.pointer, "execution"), wanted)


def without_target(text: JsonText, plan: Plan, target: str) -> JsonText:
    """The plan without a stage. Removing the last branch removes the join too."""
    if set(plan.siblings) <= {target} and plan.parallel:
        text = without_join(text, plan)
    return text.delete_all(listed_at(text, plan, target))


def without_join(text: JsonText, plan: Plan) -> JsonText:
    """The plan without its join."""
    if plan.join is None:
        return text
    join = (*plan.pointer, "join")
    return text.delete_all([join, *listed_at(text, plan, plan.join)])


def listed_at(text: JsonText, plan: Plan, stage: str) -> list[Pointer]:
    """The places of a stage in `nextStages` of a plan."""
    here = (*plan.pointer, "nextStages")
    names = enumerate(as_list(text.get(here)))
    return [(*here, index) for index, name in names if name == stage]


def file_stem(stage: str) -> str:
    """The file name of a stage without its suffix: its id, or the most similar valid file name."""
    try:
        fits = "/" not in stage and clean_path(f"{stage}.md") == f"{stage}.md"
    except BadFiles:
        fits = False
    return stage if fits else kebab(stage)
