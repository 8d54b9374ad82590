"""Rules for the 1.14 generation (B): its keys, phases and chains (section 9.1)."""

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
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note, Notes, make_fix


@registry_rule("SR116", "error", "Mixed 1.14 and older keys", profiles=EVERY)
def next_shape(source: RegistrySource) -> Notes:
    """If one step has `kind` or `address`, the file is read as the 1.14 generation. That generation
    refuses older steps, which have `stepKind`, `fallbackKey`, or c2, c3 and edition outside
    `address`. Every step needs `kind`, and an `address` with c1, c2, c3 and edition
    (SR-VALID-005)."""
    for problem in of_rule(source, "SR116"):
        owner = f"Step {problem.step!r}" if problem.step else "The registry"
        yield Note(
            message=f"{owner}: {problem.detail[0]} (SR-VALID-005).",
            pointer=problem.pointer,
            hint="A file must use the keys of one generation only.",
        )


@registry_rule("SR117", "error", "Incomplete entry for a verdict type", profiles=EVERY)
def two_entries(source: RegistrySource) -> Notes:
    """Since 1.14, `entryStepMapping` names two steps for each verdict type: `initial`, at which a
    run starts, and `continuation`, whose prompt the verdict uses afterwards (SR-ENTRY-003)."""
    for problem in of_rule(source, "SR117"):
        key, missing = problem.detail
        yield Note(
            message=f"The entry for {key!r} has no {missing} (SR-ENTRY-003).",
            pointer=problem.pointer,
            element=f"entry:{key}",
        )


@registry_rule("SR511", "error", "Wrong phase of a validator", profiles=EVERY)
def phases(source: RegistrySource) -> Notes:
    """Since 1.14, a validator declares in `phase` whether it runs before the model call
    (`preflight`) or after it (`postllm`). It must be listed under the conditions of the same phase
    (SR-VALID-004)."""
    for problem in of_rule(source, "SR511"):
        name, slot, wanted, phase = problem.detail
        edit = SetField(element=f"validator:{name}", field="/phase", value=wanted)
        state = f"has the phase {phase!r}" if phase else "has no phase"
        yield Note(
            message=f"Validator {name!r} {state}, but is listed in {slot} (SR-VALID-004).",
            pointer=problem.pointer,
            element=f"validator:{name}",
            fix=make_fix(f"Set phase to {wanted}", edit),
        )


@registry_rule("SR422", "error", "Invalid element in an adaptation chain", profiles=EVERY)
def chain_elements(source: RegistrySource) -> Notes:
    """Each element of `adaptationChain` becomes part of a file name. It may have letters, digits,
    dots, hyphens and underscores, and must not lead out of the folder (SR-VALID-004)."""
    for problem in of_rule(source, "SR422"):
        yield Note(
            message=f"Step {problem.step!r}: an element of its adaptationChain cannot be part of a "
            "file name (SR-VALID-004).",
            pointer=problem.pointer,
            hint="Use letters, digits, dots, hyphens and underscores.",
        )


@step_rule("SR423", "warning", "Repeat without an adaptation chain", profiles=EVERY)
def chain_undeclared(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A step that may repeat and has no `adaptationChain` gets `["default"]`: its second `repeat`
    in a row ends the run with AGENT_ADAPTATION_CHAIN_EXHAUSTED. The chain sets how often the step
    may repeat, and the adaptation of the prompt for each repeat."""
    for step in steps if source.generation == "B" else ():
        if "repeat" in step.allowed and step.chain is None:
            yield Note(
                message=f"Step {step.id!r} allows repeat but has no adaptationChain, so the second "
                "repeat in a row ends the run.",
                pointer=at(step),
                hint="Add a chain: three elements allow three repeats "
                "(AGENT_ADAPTATION_CHAIN_EXHAUSTED).",
            )


@registry_rule("SR424", "hint", "Missing prompt for a chain element", profiles=EVERY)
def chain_prompts(source: RegistrySource) -> Notes:
    """Each element of an adaptation chain selects `f_<edition>_<element>.md`. If that file is
    missing, the plain prompt is sent again and the repeat changes nothing."""
    if source.generation != "B" or not has_prompts(source):
        return
    for step in source.steps.values():
        plain = existing_prompt(source, step)
        for element in dict.fromkeys(step.chain or ()):
            path = prompt_path(source, step, element)
            if element and path not in source.data:
                yield Note(
                    message=f"Step {step.id!r} has no prompt for the chain element {element!r}.",
                    pointer=at(step, "adaptationChain"),
                    hint=f"Expected path: {path}.",
                    fix=copied_prompt(source, plain, path) if plain else None,
                )
