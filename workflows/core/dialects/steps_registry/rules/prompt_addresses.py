"""SR4xx, first part: the folders of prompts, c2 and c3."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from workflows.core.dialects.steps_registry.format.prompt_paths import (
    existing_prompt,
    folder_name,
    forbidden,
    prompt_path,
    prompt_paths,
)
from workflows.core.dialects.steps_registry.format.steps import Step, address_of
from workflows.core.dialects.steps_registry.rules.incremental_rules import cached_by_step
from workflows.core.dialects.steps_registry.rules.kit import (
    CLIMPT_ONLY,
    at,
    registry_rule,
    step_rule,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import Edit, RenameObject, SetField
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.pack.source_cache import once_per_source
from workflows.core.rules.kit import Note, Notes
from workflows.core.text.tolerant import as_str

_CAPITAL = re.compile(r"([A-Z])")
C3 = re.compile(r"[a-z]+(-[a-z]+)*")


@step_rule("SR403", "error", "Missing c2 or c3", profiles=EVERY)
def address(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A step needs `c2` and `c3`: the two folders of its prompt."""
    for step in steps:
        missing = [key for key, value in (("c2", step.c2), ("c3", step.c3)) if not value]
        if missing and "promptPath" not in step.value:
            yield Note(
                message=f"Step {step.id!r} has no {' and no '.join(missing)} (SR-VALID-004).",
                pointer=at(step),
            )


@step_rule("SR404", "error", "Invalid c3", profiles=CLIMPT_ONLY)
def c3_form(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """In Climpt, `c3` consists of lower-case words joined by hyphens: its `--validate`
    (SR-VALID-004) and its prompt library refuse capitals and digits. The document sets no form."""
    for step in steps:
        if step.c3 and not C3.fullmatch(step.c3):
            plain = folder_name(_CAPITAL.sub(r"-\1", step.c3))
            yield Note(
                message=f"c3 {step.c3!r} of {step.id!r} is not lower-case words with hyphens "
                "(SR-VALID-004).",
                pointer=at(step, "c3"),
                hint=f"Use {plain!r}, and rename the prompt folder to match." if plain else "",
            )


@step_rule("SR405", "error", "Prompt folder not permitted", profiles=CLIMPT_ONLY)
def permitted(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Climpt's user.yml lists the permitted c2 and c3. Climpt cannot resolve prompts in other
    folders (PR-C3L-002). The document has no such list."""
    for step in steps:
        if key := forbidden(source, address_of(step.value)):
            yield _not_permitted(source, step.id, key, step.c2 if key == "c2" else step.c3).at(
                at(step, key), step.element
            )


@registry_rule("SR426", "error", "Retry folder not permitted", profiles=CLIMPT_ONLY)
def retry_permitted(source: RegistrySource) -> Notes:
    """c2 and c3 of a validation step are the folders of its retry prompts. If user.yml does not
    permit them, Climpt never finds those prompts (PR-C3L-002)."""
    for id, item in source.table("validationSteps").items():
        address = address_of(item)
        if key := forbidden(source, address):
            yield _not_permitted(source, id, key, as_str(address.get(key))).at(
                ("validationSteps", id, key), f"validationStep:{id}"
            )


def _not_permitted(source: RegistrySource, id: str, key: str, value: str) -> Note:
    paths = prompt_paths(source)
    pattern = paths.c2_pattern if key == "c2" else paths.c3_pattern
    return Note(
        message=f"{key} {value!r} of {id!r} is not permitted by {paths.user.rpartition('/')[2]} "
        "(PR-C3L-002).",
        hint=f"Permitted pattern: {pattern}",
    )


@registry_rule("SR414", "hint", "Step id differs from the prompt address", profiles=EVERY)
def id_address(source: RegistrySource) -> Notes:
    """By convention, the first part of a step's id is its `c2` and the second part is its `c3`."""
    for id, parts in cached_by_step(source, "SR414", _mismatched_parts).items():
        step = source.steps[id]
        for key, part in parts:
            value = step.c2 if key == "c2" else step.c3
            yield Note(
                message=f"{key} of {id!r} is {value!r}, but its id contains {part!r}.",
                pointer=at(step, key),
                fix=_moved_prompt(source, step, key, part),
            )


def _mismatched_parts(
    source: RegistrySource, steps: Iterable[Step]
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Step id, and key and expected value of each part of an address that differs from the id."""
    for step in steps:
        parts = step.id.split(".")
        for key, value, part in zip(("c2", "c3"), (step.c2, step.c3), parts[:2], strict=False):
            if len(parts) > 1 and value and value != part:
                yield step.id, (key, part)


def _moved_prompt(source: RegistrySource, step: Step, key: str, part: str) -> Fix | None:
    """The fix that changes the address to match the id and moves the prompt file.

    None if the target path is taken or another step uses the same file.
    """
    folders = {"c2": step.c2, "c3": step.c3, key: part}
    if step.section or not C3.fullmatch(part) or not step.c2 or not step.c3:
        return None
    under = "/address" if "address" in step.value else ""
    edits: list[Edit] = [SetField(element=step.element, field=f"{under}/{key}", value=part)]
    path = prompt_path(source, step)
    folder, _, name = path.rpartition("/")
    root = folder.removesuffix(f"{step.c2}/{step.c3}")
    target = f"{root}{folders['c2']}/{folders['c3']}/{name}"
    if path in source.data and target not in source.data and _readers(source)[path] == 1:
        edits.append(RenameObject(element=f"file:{path}", new_key=target))
    elif path in source.data:
        return None
    return Fix(label=f"Set {key} to {part} and move the prompt", edits=tuple(edits))


@once_per_source
def _readers(source: RegistrySource) -> Counter[str | None]:
    """The number of steps that use each prompt file."""
    return Counter(existing_prompt(source, step) for step in source.steps.values())
