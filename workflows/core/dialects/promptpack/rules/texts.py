"""Rules over prompt texts: variables, fragments, placeholders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from workflows.core.dialects.promptpack.format.parts import (
    Object,
    Parts,
    listed,
    objects,
    texts,
    word,
    words,
)
from workflows.core.dialects.promptpack.format.templates import declared, fragment_of, placeholders
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.pack.edits import AddObject, RemoveObject
from workflows.core.pack.naming import closest
from workflows.core.rules.kit import Note, make_fix, short_list
from workflows.core.rules.strong_components import circles

GIVEN = ("workflow_context", "input")
"""Placeholders that every run fills."""
NOT_RENDERED = ("conditionals", "loops", "filters")


@pack_rule("PP301", "warning", "Fragment is missing")
def missing_fragment(parts: Parts) -> Iterable[Note]:
    """The text wants a fragment that the pack does not have, so the model reads the placeholder
    itself. Add the fragment or correct its name."""
    for pointer, text, _ in parts.templates:
        for item in placeholders(text):
            name = item.removeprefix("fragments.").removeprefix("fragment:")
            if name == item or name in parts.fragments:
                continue
            near = closest(name, parts.fragments)
            fixed = text.replace("{{" + item + "}}", "{{" + item.replace(name, near) + "}}")
            yield Note(
                message=f"{{{{{item}}}}} names a fragment that does not exist.",
                pointer=pointer,
                hint=f"There are {short_list(parts.fragments)}." if parts.fragments else "",
                fix=set_fix(parts, f"Use {near}", pointer, fixed)
                if near and pointer[0] == "prompts"
                else make_fix(f"Add the fragment {name}", AddObject(kind="fragment", key=name)),
            )


@pack_rule("PP302", "warning", "Variable is not declared")
def undeclared_variable(parts: Parts) -> Iterable[Note]:
    """The text has a placeholder that is no declared variable, fragment or artifact. A host may
    fill it all the same, but nobody who reads the pack can know, and unfilled it reaches the model
    as it is. Declare it among the prompt's variables."""
    for pointer, text, key in parts.templates:
        if not key or pointer[-1] != "system_template":
            continue
        prompt = parts.prompts[key]
        known = declared(prompt)
        for item in placeholders(text):
            if item in known or item in GIVEN or item != item.strip() or "." in item:
                continue
            if ":" in item or item[:1] in "#/^>!&" or fragment_of(item, parts, known):
                continue
            here = ("prompts", key, "variables")
            fresh = {"name": item, "type": "string", "required": False}
            kept = prompt.get("variables")
            value = [*(kept if isinstance(kept, list) else []), fresh]
            yield Note(
                message=f"{{{{{item}}}}} in the prompt {key!r} is not a declared variable.",
                pointer=pointer,
                fix=set_fix(parts, f"Declare {item}", here, value) if item.isidentifier() else None,
            )


@pack_rule("PP303", "hint", "Variable is never used")
def unused_variable(parts: Parts) -> Iterable[Note]:
    """The prompt declares a variable that neither its text nor a fragment in it mentions, so what a
    run brings along for it goes nowhere. Use it or remove it."""
    inside = {name for text in parts.fragments.values() for name in placeholders(text)}
    for key, prompt in parts.prompts.items():
        variables = listed(prompt.get("variables"))
        if not variables:
            continue
        used = set(placeholders(word(prompt.get("system_template")))) | _in_overrides(prompt)
        for index, item in variables:
            name = word(item.get("name"))
            if name and name not in used and name not in inside:
                yield Note(
                    message=f"The variable {name!r} of the prompt {key!r} is never used.",
                    pointer=("prompts", key, "variables", index),
                    fix=unset_fix(parts, f"Remove {name}", ("prompts", key, "variables", index)),
                )


def _in_overrides(prompt: Object) -> set[str]:
    """The placeholders in what a prompt says to single models."""
    said = [texts(item) for item in objects(prompt.get("model_overrides")).values()]
    return {name for item in said for text in item.values() for name in placeholders(text)}


@pack_rule("PP304", "warning", "Required, and with a default")
def required_with_default(parts: Parts) -> Iterable[Note]:
    """A variable that has a default is never missing, so `required` contradicts it. Runtimes take
    the default. Say that it is not required, or take the default out."""
    for key, prompt in parts.prompts.items():
        for index, item in listed(prompt.get("variables")):
            if item.get("required") is True and "default" in item:
                here = ("prompts", key, "variables", index, "required")
                yield Note(
                    message=f"{word(item.get('name'))!r} of {key!r} is required and has a default.",
                    pointer=here,
                    fix=set_fix(parts, "Not required", here, False),
                )


@pack_rule("PP305", "warning", "Variable declared twice")
def repeated_variable(parts: Parts) -> Iterable[Note]:
    """Two variables of one prompt have the same name; only one of the two declarations can hold.
    Remove one of them."""
    for key, prompt in parts.prompts.items():
        seen: set[str] = set()
        for index, item in listed(prompt.get("variables")):
            name = word(item.get("name"))
            if name in seen:
                here = ("prompts", key, "variables", index)
                yield Note(
                    message=f"The prompt {key!r} declares {name!r} twice.",
                    pointer=here,
                    fix=unset_fix(parts, "Remove the second one", here),
                )
            seen.add(name)


@pack_rule("PP306", "warning", "Placeholder with spaces")
def spaced_placeholder(parts: Parts) -> Iterable[Note]:
    """Placeholders are taken to the letter, spaces included: {{ name }} looks for a variable called
    " name " and is never filled. Take the spaces out."""
    for pointer, text, _ in parts.templates:
        spaced = [item for item in placeholders(text) if item != item.strip() and item.strip()]
        if not spaced:
            continue
        fixed = text
        for item in spaced:
            fixed = fixed.replace("{{" + item + "}}", "{{" + item.strip() + "}}")
        yield Note(
            message=f"{{{{{spaced[0]}}}}} has spaces and is never filled.",
            pointer=pointer,
            fix=set_fix(parts, "Take the spaces out", pointer, fixed)
            if pointer[0] == "prompts"
            else None,
        )


@pack_rule("PP307", "warning", "Fragments that contain each other")
def fragment_circle(parts: Parts) -> Iterable[Note]:
    """A fragment contains itself, perhaps through others, so it can never be filled in completely:
    after ten rounds a placeholder is left over. Break the circle."""
    found = {
        name: [fragment_of(item, parts, parts.variables) for item in placeholders(text)]
        for name, text in parts.fragments.items()
    }
    inside = {name: [one for one in named if one in found] for name, named in found.items()}
    circling = {name for group in circles(inside) for name in group}
    for name in found:
        if name in circling:
            yield Note(
                message=f"The fragment {name!r} contains itself.", pointer=("fragments", name)
            )


@pack_rule("PP308", "hint", "Fragment is never used")
def unused_fragment(parts: Parts) -> Iterable[Note]:
    """No prompt and no other fragment uses this one. It may be left over; remove it, or use it as
    {{fragments.name}}."""
    if not parts.fragments:
        return
    used = {
        fragment_of(item, parts, declared(parts.prompts[key]) if key else parts.variables)
        for _, text, key in parts.templates
        for item in placeholders(text)
    }
    for name in parts.fragments:
        if name not in used:
            yield Note(
                message=f"No text uses the fragment {name!r}.",
                pointer=("fragments", name),
                fix=make_fix("Remove it", RemoveObject(element=f"fragment:{name}")),
            )


@pack_rule("PP309", "hint", "Feature that nobody carries out")
def unrendered_feature(parts: Parts) -> Iterable[Note]:
    """The pack says that its texts use conditionals, loops or filters. Runtimes replace plain
    placeholders only, so such text reaches the model as it is written. Write the texts without."""
    engine = parts.tree.get("template_engine")
    features = words(engine.get("features")) if isinstance(engine, dict) else []
    for name in features:
        if name in NOT_RENDERED:
            yield Note(
                message=f"The template feature {name!r} is not carried out by any runtime.",
                pointer=("template_engine", "features"),
            )


@pack_rule("PP310", "hint", "Prompt key and id differ")
def prompt_id(parts: Parts) -> Iterable[Note]:
    """States refer to a prompt by its key. The id inside is a second name that usually equals it;
    two names for one thing confuse readers."""
    counted = Counter(word(prompt.get("id")) for prompt in parts.prompts.values())
    for key, prompt in parts.prompts.items():
        id = word(prompt.get("id"))
        if id and id != key and (counted[id] > 1 or id in parts.prompts):
            yield Note(
                message=f"The prompt {key!r} calls itself {id!r}, like another one.",
                pointer=("prompts", key, "id"),
            )


@pack_rule("PP311", "warning", "Template engine without a name")
def unnamed_engine(parts: Parts) -> Iterable[Note]:
    """The pack has to say in which way its placeholders are written: the version of the template
    language and its syntax. One of the two is empty, so a reader can only guess. Everybody who
    reads packs takes {{name}}."""
    engine = parts.tree.get("template_engine")
    for field, usual in (("version", "v1"), ("syntax", "{{variable}}")):
        if isinstance(engine, dict) and engine.get(field) == "":
            here = ("template_engine", field)
            yield Note(
                message=f"The template engine's {field} is empty.",
                pointer=here,
                fix=set_fix(parts, f"Set it to {usual}", here, usual),
            )
