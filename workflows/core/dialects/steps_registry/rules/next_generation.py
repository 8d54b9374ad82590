"""Rules for the 1.14 generation (B) alone: its shape, phases and chains (section 9.1)."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.steps_registry.format.prompt_paths import (
    existing_prompt,
    has_prompts,
    prompt_path,
)
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.rules.kit import at, registry_rule, step_rule
from workflows.core.dialects.steps_registry.rules.prompts import copied_prompt
from workflows.core.dialects.steps_registry.rules.startup import of_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import SetField
from workflows.core.pack.findings import Fix
from workflows.core.rules.kit import Note, Notes


@registry_rule("SR116", "error", "Shape of the 1.14 generation")
def next_shape(source: RegistrySource) -> Notes:
    """A file with `kind` or `address` on one step is read as of the 1.14 generation, and that one
    refuses steps written as before: `stepKind`, `fallbackKey`, and c2, c3, edition beside the
    step's other keys. Every step needs `kind`, and `address` with c1, c2, c3 and edition
    (SR-VALID-005)."""
    for problem in of_rule(source, "SR116"):
        owner = f"Step {problem.step!r}" if problem.step else "The registry"
        yield Note(
            message=f"{owner}: {problem.detail[0]} (SR-VALID-005).",
            pointer=problem.pointer,
            element=problem.element,
            hint="No file of one generation loads in the other.",
        )


@registry_rule("SR117", "error", "Two steps for each verdict type")
def two_entries(source: RegistrySource) -> Notes:
    """Since 1.14 `entryStepMapping` names two steps for each verdict type: `initial`, where a run
    begins, and `continuation`, whose prompt the verdict goes on with (SR-ENTRY-003)."""
    for problem in of_rule(source, "SR117"):
        key, said = problem.detail
        yield Note(
            message=f"The entry for {key!r} has no {said} (SR-ENTRY-003).",
            pointer=problem.pointer,
            element=f"entry:{key}",
        )


@registry_rule("SR511", "error", "Phase of validators")
def phases(source: RegistrySource) -> Notes:
    """Since 1.14 a validator says in `phase` whether it runs before the model is asked
    (`preflight`) or after (`postllm`), and stands in the list of that phase (SR-VALID-004)."""
    for problem in of_rule(source, "SR511"):
        name, slot, wanted, given = problem.detail
        edit = SetField(element=f"validator:{name}", field="/phase", value=wanted)
        said = f"says its phase is {given!r}" if given else "does not say its phase"
        yield Note(
            message=f"Validator {name!r} {said}, but stands in {slot} (SR-VALID-004).",
            pointer=problem.pointer,
            element=f"validator:{name}",
            fix=Fix(label=f"Set its phase to {wanted}", edits=(edit,)),
        )


@registry_rule("SR422", "error", "Elements of an adaptation chain")
def chain_elements(source: RegistrySource) -> Notes:
    """Each element of `adaptationChain` becomes part of a file name: letters, digits, dots,
    hyphens and underscores, and no way out of the folder (SR-VALID-004)."""
    for problem in of_rule(source, "SR422"):
        yield Note(
            message=f"Step {problem.step!r}: an element of its adaptationChain cannot be part of a "
            "file name (SR-VALID-004).",
            pointer=problem.pointer,
            element=problem.element,
        )


@step_rule("SR423", "warning", "A chain for repeats")
def chain_undeclared(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A step that may repeat and has no `adaptationChain` gets ["default"]: its second `repeat` in
    a row ends the run with AGENT_ADAPTATION_CHAIN_EXHAUSTED. Say in the chain how often, and with
    which adaptation of the prompt each time."""
    for step in steps if source.generation == "B" else ():
        if "repeat" in step.allowed and step.chain is None:
            yield Note(
                message=f"{step.id!r} may repeat but has no adaptationChain: the second repeat in "
                "a row ends the run.",
                pointer=at(step),
                element=step.element,
                hint="AGENT_ADAPTATION_CHAIN_EXHAUSTED; three elements allow three repeats.",
            )


@registry_rule("SR424", "hint", "Prompts of a chain")
def chain_prompts(source: RegistrySource) -> Notes:
    """Each element of an adaptation chain picks `f_<edition>_<element>.md`. Where that file is
    missing the plain prompt is sent again, and the repeat changes nothing."""
    if source.generation != "B" or not has_prompts(source):
        return
    for step in source.steps.values():
        plain = existing_prompt(source, step)
        for element in dict.fromkeys(step.chain or ()):
            path = prompt_path(source, step, element)
            if element and path not in source.data:
                yield Note(
                    message=f"{step.id!r} has no prompt for {element!r} of its adaptationChain.",
                    pointer=at(step, "adaptationChain"),
                    element=step.element,
                    hint=f"It is looked for at {path}.",
                    fix=copied_prompt(source, plain, path) if plain else None,
                )
