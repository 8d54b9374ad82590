"""ST532: values of results that `exit` and `setup` read (stages.md sections 7 and 16.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workflows.core.dialects.stages.format.paths import Path
from workflows.core.dialects.stages.format.predicates import paths
from workflows.core.dialects.stages.rules.conditions import conditions
from workflows.core.dialects.stages.rules.handover import results_of
from workflows.core.dialects.stages.rules.hooks import (
    kept_values,
    may_be_missing,
    setup_fields,
)
from workflows.core.dialects.stages.rules.kit import stage_rule
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.dialects.stages.rules.slots import slot_names_read
from workflows.core.engine.rehearsal.answer_gaps import Gap
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note


@stage_rule("ST532", "error", "Value that no result has", profiles=EVERY)
def unknown_value(facts: Facts) -> Iterable[Note]:
    """`exit` keeps a value of the stage's own result, or `setup` needs one of the previous stage's,
    and the completion schema of that stage has no such value. The slot stays empty, and a stage
    that needs the value fails in Setup. Correct the name, or add it to the schema. A kept value
    that nothing reads is ST530."""
    read = {"slot": slot_names_read(facts), "output": _outputs_read(facts)}
    for stage, pointer, _, path in kept_values(facts):
        missing = facts.result_gap(stage, path) if path is not None else None
        if missing is not None and read[pointer[1]] & {pointer[2], ""}:
            yield _missing_value(facts, stage, pointer, stage, missing)
    writers: dict[str, list[tuple[str, Path]]] = {}
    for stage, pointer, _, path in kept_values(facts):
        if path is not None and pointer[1] == "slot":
            writers.setdefault(pointer[2], []).append((stage, path))
    for stage, name, item, path in setup_fields(facts):
        if path.root == "run" or not path.steps or may_be_missing(item):
            continue
        first, *rest = path.steps
        if path.root == "upstream":
            inner = replace(path, root="result", steps=tuple(rest))
            origins = [(source, inner) for source in results_of(facts, stage, first)]
        else:
            origins = [
                (source, replace(kept, steps=(*kept.steps, *rest)))
                for source, kept in writers.get(str(first), ())
            ]
        gaps = [facts.result_gap(source, origin) for source, origin in origins]
        if gaps and gaps[0] is not None and None not in gaps:
            yield _missing_value(facts, stage, ("setup", name, "from"), origins[0][0], gaps[0])


def _missing_value(
    facts: Facts, stage: str, pointer: tuple[str, ...], source: str, missing: Gap
) -> Note:
    owner = "its own result" if source == stage else f"the result of {source!r}"
    return Note(
        message=f"'{'.'.join(pointer)}' of {stage!r} reads {owner}, but {missing.reason}.",
        place=facts.entry(stage, *pointer),
        hint=missing.next_step,
    )


def _outputs_read(facts: Facts) -> set[str]:
    """The names of outputs that a prompt, a setup or a condition reads."""
    steps = [path.steps for _, _, _, path in setup_fields(facts)]
    steps += [one.steps for there in facts.placeholders.values() for one in there]
    steps += [use.path.steps for condition in conditions(facts) for use in paths(condition.value)]
    return {
        str(path[path.index("output") + 1]) if path[-1] != "output" else ""
        for path in steps
        if "output" in path
    }
