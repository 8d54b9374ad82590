"""Copy of stages from a pack, and paste into a pack."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.stages.edits.common import next_result
from workflows.core.dialects.stages.edits.files import with_key
from workflows.core.dialects.stages.edits.states import free_path, with_entry
from workflows.core.dialects.stages.format.stage_file import read_stage
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.copy_size import CopySize
from workflows.core.pack.edits import EditRefused, Paste
from workflows.core.pack.forms import Json
from workflows.core.pack.naming import numbered_name
from workflows.core.text.tolerant import as_object_map


def copy(source: StagesSource, states: tuple[str, ...]) -> Json:
    """The stages' entries in the pipeline, and their files as text. Raises EditRefused if they are
    too large together."""
    wanted = set(states)
    chosen = [stage for stage in source.stages if stage in wanted]
    if not chosen:
        raise EditRefused("None of these stages is in this pack.")
    size = CopySize()
    for stage in chosen:
        size.add(len(source.stages[stage].data), f"state:{stage}")
    return {
        "dialect": "stages",
        "stages": {
            stage: {
                "entry": {k: v for k, v in source.entry(stage).items() if k != "file"},
                "file": source.stages[stage].data.decode("utf-8", "replace"),
                "form": source.stages[stage].form,
            }
            for stage in chosen
        },
    }


def paste(source: StagesSource, edit: Paste) -> StagesSource:
    """Add the copied stages with the transitions between them. Ids in use get a number."""
    fragment = edit.fragment
    if not isinstance(fragment, dict) or fragment.get("dialect") != "stages":
        raise EditRefused("This was not copied from a pack of stages.")
    copied = {
        stage: one
        for stage, one in as_object_map(fragment.get("stages")).items()
        if isinstance(one.get("file"), str)
    }
    if not copied:
        raise EditRefused("The clipboard has no stages.")
    ids: dict[str, str] = {}
    taken = set(source.stages)
    for stage in copied:
        ids[stage] = numbered_name(stage, taken)
        taken.add(ids[stage])
    for stage, one in copied.items():
        source = _with_stage(source, ids[stage], one, ids)
    return source


def _with_stage(
    source: StagesSource, stage: str, one: dict[str, Any], ids: dict[str, str]
) -> StagesSource:
    path = free_path(source, stage, "json" if one.get("form") == "object" else "md")
    file = read_stage(path, str(one["file"]).encode("utf-8"))
    readable = file.front is not None or file.text is not None
    data = with_key(file, ("id",), stage) if readable else str(one["file"]).encode("utf-8")
    source = source.with_files({path: data})
    if source.pipeline is None:
        return source
    entry = one.get("entry")
    entry = _keep_copied(entry, ids) if isinstance(entry, dict) else {}
    return with_entry(source, stage, path, entry)


def _keep_copied(value: Any, ids: dict[str, str]) -> Any:
    """The entry with only those successors that were copied too, under their new ids."""
    match value:
        case {"nextStages": list(listed)}:
            fresh = dict(value)
            fresh["nextStages"] = [ids[s] for s in listed if isinstance(s, str) and s in ids]
            join = ids.get(str(fresh.pop("join", None)))
            if not [stage for stage in fresh["nextStages"] if stage != join]:
                return next_result()
            return fresh if join is None else {**fresh, "join": join}
        case dict():
            return {
                key: _keep_copied(item, ids) if key in _SUCCESSOR_KEYS else item
                for key, item in value.items()
            }
        case list():
            return [_keep_copied(item, ids) for item in value]
    return value


_SUCCESSOR_KEYS = ("next", "cases", "then", "else", "onParallelFailure")
