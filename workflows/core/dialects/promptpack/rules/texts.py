"""Rules about prompt texts: variables, fragments, placeholders."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.format.templates import (
    RUN_VARIABLES,
    declared_variables,
    fragment_of,
    placeholders,
)
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.pack.edits import AddObject, RemoveObject
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix, short_list
from workflows.core.rules.strong_components import cyclic_components
from workflows.core.text.tolerant import (
    as_list,
    as_object_map,
    as_str,
    as_str_list,
    as_str_map,
    indexed_objects,
)

_HALF_CLOSED = re.compile(r"\{\{[A-Za-z_][\w.]{0,200}\}(?!\})")
NOT_RENDERED = ("conditionals", "loops", "filters")


@pack_rule("PP301", "warning", "Text uses a missing fragment", profiles=EVERY)
def missing_fragment(parts: Parts) -> Iterable[Note]:
    """The text uses a fragment that the pack does not have, so the model receives the placeholder
    itself. Add the fragment or correct its name."""
    for pointer, text, _ in parts.templates:
        for item in placeholders(text):
            name = item.removeprefix("fragments.").removeprefix("fragment:")
            if name == item or name in parts.fragments:
                continue
            near = closest_name(name, parts.fragments)
            fixed = text.replace("{{" + item + "}}", "{{" + item.replace(name, near) + "}}")
            yield Note(
                message=f"{{{{{item}}}}} refers to a fragment that does not exist.",
                pointer=pointer,
                hint=f"Existing fragments: {short_list(parts.fragments)}."
                if parts.fragments
                else "",
                fix=set_fix(parts, f"Use {near}", pointer, fixed)
                if near and pointer[0] == "prompts"
                else make_fix(f"Add fragment {name}", AddObject(kind="fragment", key=name)),
            )


@pack_rule("PP302", "warning", "Variable is not declared", profiles=EVERY)
def undeclared_variable(parts: Parts) -> Iterable[Note]:
    """The text has a placeholder that is not a declared variable, fragment or artifact. A host may
    still fill it, but the pack does not document it, and an unfilled placeholder reaches the model
    as it is written. Declare it in the prompt's variables."""
    for pointer, text, key in parts.templates:
        if not key or pointer[-1] != "system_template":
            continue
        prompt = parts.prompts[key]
        variables = declared_variables(prompt)
        for item in placeholders(text):
            if item in variables or item in RUN_VARIABLES or item != item.strip() or "." in item:
                continue
            if ":" in item or item[:1] in "#/^>!&" or fragment_of(item, parts, variables):
                continue
            here = ("prompts", key, "variables")
            fresh = {"name": item, "type": "string", "required": False}
            value = [*as_list(prompt.get("variables")), fresh]
            yield Note(
                message=f"{{{{{item}}}}} in prompt {key!r} is not a declared variable.",
                pointer=pointer,
                fix=set_fix(parts, f"Declare {item}", here, value) if item.isidentifier() else None,
            )


@pack_rule("PP303", "hint", "Variable is never used", profiles=EVERY)
def unused_variable(parts: Parts) -> Iterable[Note]:
    """The prompt declares a variable that neither its text nor one of its fragments mentions, so
    the run's value has no effect. Use the variable or remove it."""
    inside = {name for text in parts.fragments.values() for name in placeholders(text)}
    for key, prompt in parts.prompts.items():
        variables = indexed_objects(prompt.get("variables"))
        if not variables:
            continue
        used = set(placeholders(as_str(prompt.get("system_template")))) | _in_overrides(prompt)
        for index, item in variables:
            name = as_str(item.get("name"))
            if name and name not in used and name not in inside:
                yield Note(
                    message=f"Variable {name!r} of prompt {key!r} is never used.",
                    pointer=("prompts", key, "variables", index),
                    fix=unset_fix(parts, f"Remove {name}", ("prompts", key, "variables", index)),
                )


def _in_overrides(prompt: Object) -> set[str]:
    """The placeholders in a prompt's texts for single models."""
    overrides = [as_str_map(item) for item in as_object_map(prompt.get("model_overrides")).values()]
    return {name for item in overrides for text in item.values() for name in placeholders(text)}


@pack_rule("PP304", "warning", "Required variable with a default", profiles=EVERY)
def required_with_default(parts: Parts) -> Iterable[Note]:
    """A variable with a default is never missing, so `required` contradicts it. Runtimes use the
    default. Make the variable optional, or remove the default."""
    for key, prompt in parts.prompts.items():
        for index, item in indexed_objects(prompt.get("variables")):
            if item.get("required") is True and "default" in item:
                here = ("prompts", key, "variables", index, "required")
                name = as_str(item.get("name"))
                yield Note(
                    message=f"Variable {name!r} of prompt {key!r} is required and has a default.",
                    pointer=here,
                    fix=set_fix(parts, "Make it optional", here, False),
                )


@pack_rule("PP305", "warning", "Variable declared twice", profiles=EVERY)
def repeated_variable(parts: Parts) -> Iterable[Note]:
    """Two variables of one prompt have the same name, and only one of the declarations takes
    effect. Remove one of them."""
    for key, prompt in parts.prompts.items():
        names: set[str] = set()
        for index, item in indexed_objects(prompt.get("variables")):
            name = as_str(item.get("name"))
            if name in names:
                here = ("prompts", key, "variables", index)
                yield Note(
                    message=f"Prompt {key!r} declares the variable {name!r} twice.",
                    pointer=here,
                    fix=unset_fix(parts, "Remove the second declaration", here),
                )
            names.add(name)


@pack_rule("PP306", "warning", "Placeholder with spaces", profiles=EVERY)
def spaced_placeholder(parts: Parts) -> Iterable[Note]:
    """Placeholder names are matched exactly, including spaces: {{ name }} refers to a variable
    called " name " and is never filled. Remove the spaces."""
    for pointer, text, _ in parts.templates:
        spaced = [item for item in placeholders(text) if item != item.strip() and item.strip()]
        if not spaced:
            continue
        fixed = text
        for item in spaced:
            fixed = fixed.replace("{{" + item + "}}", "{{" + item.strip() + "}}")
        yield Note(
            message=f"{{{{{spaced[0]}}}}} contains spaces and is never filled.",
            pointer=pointer,
            fix=set_fix(parts, "Remove the spaces", pointer, fixed)
            if pointer[0] == "prompts"
            else None,
        )


@pack_rule("PP312", "warning", "Placeholder without its second brace", profiles=EVERY)
def half_closed_placeholder(parts: Parts) -> Iterable[Note]:
    """The placeholder opens with two braces and closes with one, so it is plain text: the model
    receives the braces instead of the value. Close it with two."""
    for pointer, text, _ in parts.templates:
        for match in _HALF_CLOSED.finditer(text):
            fixed = f"{text[: match.end()]}}}{text[match.end() :]}"
            yield Note(
                message=f"{match[0]!r} lacks its second closing brace.",
                pointer=pointer,
                hint=f"Write {match[0]}}}.",
                fix=set_fix(parts, "Add the brace", pointer, fixed)
                if pointer[0] == "prompts"
                else None,
            )


@pack_rule("PP307", "warning", "Fragments in a cycle", profiles=EVERY)
def fragment_cycle(parts: Parts) -> Iterable[Note]:
    """A fragment contains itself, directly or through other fragments, so it can never be filled in
    completely: after ten passes a placeholder remains. Break the cycle."""
    uses = {
        name: [fragment_of(item, parts, parts.variables) for item in placeholders(text)]
        for name, text in parts.fragments.items()
    }
    inside = {name: [one for one in named if one in uses] for name, named in uses.items()}
    in_cycle = {name for group in cyclic_components(inside) for name in group}
    for name in uses:
        if name in in_cycle:
            yield Note(message=f"Fragment {name!r} contains itself.", pointer=("fragments", name))


@pack_rule("PP308", "hint", "Fragment is never used", profiles=EVERY)
def unused_fragment(parts: Parts) -> Iterable[Note]:
    """No prompt and no other fragment uses this fragment. Remove it, or use it as
    {{fragments.name}}."""
    if not parts.fragments:
        return
    used = {
        fragment_of(item, parts, declared_variables(parts.prompts[key]) if key else parts.variables)
        for _, text, key in parts.templates
        for item in placeholders(text)
    }
    for name in parts.fragments:
        if name not in used:
            yield Note(
                message=f"Fragment {name!r} is never used.",
                pointer=("fragments", name),
                fix=make_fix("Remove it", RemoveObject(element=f"fragment:{name}")),
            )


@pack_rule("PP309", "hint", "Unsupported template feature", profiles=EVERY)
def unrendered_feature(parts: Parts) -> Iterable[Note]:
    """The pack declares that its texts use conditionals, loops or filters. Runtimes replace plain
    placeholders only, so such text reaches the model as it is written. Write the texts without
    these features."""
    engine = parts.tree.get("template_engine")
    features = as_str_list(engine.get("features")) if isinstance(engine, dict) else []
    for name in features:
        if name in NOT_RENDERED:
            yield Note(
                message=f"No runtime supports the template feature {name!r}.",
                pointer=("template_engine", "features"),
            )


@pack_rule("PP310", "hint", "Prompt key and id differ", profiles=EVERY)
def prompt_id(parts: Parts) -> Iterable[Note]:
    """States refer to a prompt by its key. The `id` inside is a second name that usually equals the
    key; two names for one prompt confuse readers."""
    counted = Counter(as_str(prompt.get("id")) for prompt in parts.prompts.values())
    for key, prompt in parts.prompts.items():
        id = as_str(prompt.get("id"))
        if id and id != key and (counted[id] > 1 or id in parts.prompts):
            yield Note(
                message=f"Prompt {key!r} has the id {id!r}, which another prompt uses too.",
                pointer=("prompts", key, "id"),
            )


@pack_rule("PP311", "warning", "Empty template engine field", profiles=EVERY)
def unnamed_engine(parts: Parts) -> Iterable[Note]:
    """The pack must state how its placeholders are written: the version of the template language
    and its syntax. One of the two is empty. All known runtimes use {{name}}."""
    engine = parts.tree.get("template_engine")
    for field, usual in (("version", "v1"), ("syntax", "{{variable}}")):
        if isinstance(engine, dict) and engine.get(field) == "":
            here = ("template_engine", field)
            yield Note(
                message=f"The {field!r} of the template engine is empty.",
                pointer=here,
                fix=set_fix(parts, f"Set it to {usual}", here, usual),
            )
