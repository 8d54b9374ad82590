"""Adding, removing and duplicating stages, and setting the entry."""

from __future__ import annotations

from collections import Counter
from posixpath import basename, dirname, join, relpath
from typing import Any

from workflows.core.dialects.stages.edits.common import (
    file_stem,
    listed_at,
    need_stage,
    next_result,
    text_of,
)
from workflows.core.dialects.stages.edits.files import with_key
from workflows.core.dialects.stages.edits.palette import new_stage
from workflows.core.dialects.stages.edits.pipeline import with_pipeline
from workflows.core.dialects.stages.edits.transition_changes import without_transition
from workflows.core.dialects.stages.format.parts import plans, routes
from workflows.core.dialects.stages.graph.transitions import (
    StageTransition,
    outgoing_transitions,
    own_transitions,
)
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import AddState, DuplicateState, EditRefused, RemoveState, SetEntry
from workflows.core.pack.naming import require_free
from workflows.core.text.json.document import JsonText, Pointer
from workflows.core.text.tolerant import as_list, as_object


def add(source: StagesSource, edit: AddState) -> StagesSource:
    """Add a file with all eight keys, and its entry in the pipeline. An unused stage file with this
    id is used as it is."""
    require_free(source.stages, edit.id, "stage")
    unused = next((file for file in source.unused if file.values.get("id") == edit.id), None)
    if unused is not None:
        return with_entry(source, edit.id, unused.path, {"next": next_result()})
    path = free_path(source, edit.id)
    source = source.with_files({path: new_stage(edit.id, edit.kind, edit.name)})
    if source.pipeline is None:
        return source
    return with_entry(source, edit.id, path, {"next": next_result()})


def with_entry(
    source: StagesSource, stage: str, path: str, entry: dict[str, Any], before: str | None = None
) -> StagesSource:
    """The pack with an entry for a stage in its pipeline. The first stage becomes the entry of
    runs."""
    text = text_of(source)
    entry = {"file": relpath(path, dirname(source.main) or "."), **entry}
    if before is None:
        text = text.put(("stages", stage), entry)
    else:
        text = text.insert(("stages", stage), entry, before=before)
    begins = source.whole().get("entryStage")
    if not source.stages and begins not in source.stages:
        text = text.set(("entryStage",), stage)
    return source.with_pipeline(text)


def free_path(source: StagesSource, stage: str, ending: str = "md") -> str:
    """The path of a new stage: in the folder of the others, with its id as name."""
    folders = Counter(dirname(file.path) for file in source.stages.values() if not file.missing)
    below = join(dirname(source.main), "stages")
    folder = folders.most_common(1)[0][0] if folders else below
    stem = file_stem(stage)
    path, number = join(folder, f"{stem}.{ending}"), 1
    while path in source.files:
        number += 1
        path = join(folder, f"{stem}-{number}.{ending}")
    return path


def remove(source: StagesSource, edit: RemoveState) -> StagesSource:
    """Remove the stage, every transition to it, its grants, and its file unless another stage uses
    it."""
    need_stage(source, edit.id)
    file = source.stages[edit.id]
    if source.pipeline is None and len(source.stage_files) == 1:
        raise EditRefused(
            "This is the only stage of the pack and can't be removed.",
            where=f"state:{edit.id}",
            hint="Add another stage first, or delete the pack.",
        )
    shared = [key for key, other in source.stages.items() if other.path == file.path]
    if source.pipeline is not None:
        source = source.with_pipeline(_without_stage(source, edit.id))
    if file.missing or len(shared) > 1:
        return source
    return source.with_files({file.path: None})


def _without_stage(source: StagesSource, stage: str) -> JsonText:
    """The pipeline without a stage and all references to it."""
    text = text_of(source)
    after = [
        transition.target
        for transition in outgoing_transitions(source)[stage]
        if transition.target != stage
    ]
    for other in source.stages:
        if other != stage and any(
            stage in (*plan.stages, plan.join) for plan in plans(source, other)
        ):
            text = _without_transitions_to(source.with_pipeline(text), other, stage)
    text = text.delete(("stages", stage))
    if source.whole().get("entryStage") == stage:
        left = [
            name for name in (*after, *source.stages) if name in source.stages and name != stage
        ]
        text = text.set(("entryStage",), left[0]) if left else text.delete(("entryStage",))
    return _without_grants(text, stage)


def _without_transitions_to(source: StagesSource, owner: str, stage: str) -> JsonText:
    """One stage's plans without another stage. Of thousands of cases, all are removed at once that
    change nothing else. For the rest, pointers are read again after each removal."""
    text = text_of(source)
    source = source.with_pipeline(text.delete_all(_plain_removals(source, owner, stage)))
    while own := _to(source, owner, stage):
        source = source.with_pipeline(without_transition(text_of(source), own[0]))
    text = text_of(source)
    joins: list[Pointer] = []
    for route in routes(source, owner):
        plan = route.plan
        if plan.parallel and plan.join == stage and plan.siblings:
            joins += [(*plan.pointer, "join"), *listed_at(text, plan, stage)]
    return text.delete_all(joins)


def _to(source: StagesSource, owner: str, stage: str) -> list[StageTransition]:
    return [each for each in own_transitions(source, owner) if each.target == stage]


def _plain_removals(source: StagesSource, owner: str, stage: str) -> list[Pointer]:
    """Places to remove for the transitions that leave other targets in their plan or other cases in
    their stage."""
    text = text_of(source)
    some: list[Pointer] = []
    whole: list[Pointer] = []
    for each in _to(source, owner, stage):
        plan = each.plan
        if set(plan.siblings) > {stage}:
            some += listed_at(text, plan, stage)
        elif plan.pointer[-1] == "then":
            whole.append(plan.pointer[:-1])
    return [*some, *whole[:-1]]


def _without_grants(text: JsonText, stage: str) -> JsonText:
    for index, grant in enumerate(as_list(text.get(("grants",)))):
        stages = as_object(grant).get("stages")
        if isinstance(stages, list) and stage in stages:
            kept = [name for name in stages if name != stage]
            text = text.set(("grants", index, "stages"), kept)
    return text


def duplicate(source: StagesSource, edit: DuplicateState) -> StagesSource:
    """Insert a copy with its own file after the original. A transition of the original to itself
    leads to the copy."""
    need_stage(source, edit.id)
    require_free(source.stages, edit.new_id, "stage")
    file = source.stages[edit.id]
    if file.missing:
        raise EditRefused(f"The file of {edit.id!r} is missing.", where=f"state:{edit.id}")
    path = free_path(source, edit.new_id, basename(file.path).rpartition(".")[2])
    copy = with_key(file, ("id",), edit.new_id)
    source = source.with_files({path: copy})
    if source.pipeline is None:
        return source
    entry = {key: value for key, value in source.entry(edit.id).items() if key != "file"}
    names = list(source.stages)
    after = names[names.index(edit.id) + 1 :]
    source = with_entry(source, edit.new_id, path, entry, after[0] if after else None)
    text = text_of(source)
    for plan in plans(source, edit.new_id):
        listed = text.get((*plan.pointer, "nextStages"))
        if isinstance(listed, list) and edit.id in listed:
            text = text.set((*plan.pointer, "nextStages", listed.index(edit.id)), edit.new_id)
    return source.with_pipeline(text)


def set_entry(source: StagesSource, edit: SetEntry) -> StagesSource:
    """Set the first stage of runs."""
    need_stage(source, edit.id)
    source = with_pipeline(source)
    return source.with_pipeline(text_of(source).set(("entryStage",), edit.id))
