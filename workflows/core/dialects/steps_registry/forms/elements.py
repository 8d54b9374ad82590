"""The form of one element: its schema and its values in the files."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.steps_registry.edits.common import step_of, transition_of
from workflows.core.dialects.steps_registry.edits.locations import TABLES, place_of, split_element
from workflows.core.dialects.steps_registry.format.prompt_paths import (
    existing_prompt,
    prompt_text,
    split_front_matter,
)
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import INTENTS, VERDICTS
from workflows.core.dialects.steps_registry.forms import schemas
from workflows.core.dialects.steps_registry.forms.prompt_field import prompt_field
from workflows.core.dialects.steps_registry.forms.related_files import (
    prompt_links,
    prompt_note,
    schema_links,
)
from workflows.core.dialects.steps_registry.forms.step_schemas import rule_schema, step_schema
from workflows.core.dialects.steps_registry.graph.implicit_transitions import (
    CLOSING,
    DerivedTransition,
    derived_transition,
)
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaProblem,
    definition,
    value_at,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.json_schemas.fields import Schema, choice, raw, text
from workflows.core.pack.findings import Place
from workflows.core.pack.forms import ElementPlace, Form
from workflows.core.text.json.document import pointer_text

Values = dict[str, Any]

COMPUTED: Schema = {"readOnly": True, "x-computed": True}
NEXT_KEYS = ("kind", "address", "adaptationChain")
OLDER_KEYS = ("stepKind", "c2", "c3", "edition", "adaptation", "fallbackKey")
"""Keys of the other generations, shown only if the step has them."""


def fields(source: RegistrySource, element: str, profile: str) -> Form:
    """The form of an element. Raises EditRefused for an unknown element."""
    kind, key = split_element(element)
    if (
        kind == "transition"
        and (transition := derived_transition(source, profile, key)) is not None
    ):
        return _derived(source, transition)
    place = _place(source, element)
    match kind:
        case "state":
            return _state(source, step_of(source, key), place)
        case "transition":
            return _transition(source, key, place)
        case "pack" | "":
            keep = ("steps", "validators", "failurePatterns", "validationSteps")
            values = {name: item for name, item in source.value.items() if name not in keep}
            properties = schemas.pack_schema(source.steps, paired=source.generation == "B")
            return _form("pack", source.agent_id, properties, values, place)
        case "agent":
            return _form(element, "agent.json", schemas.agent_schema(), dict(source.agent), place)
        case "file":
            return _file(source, key, place)
        case "entry":
            return _entry(source, key, place)
        case _:
            return _object(source, kind, key, place)


def element_place(source: RegistrySource, element: str) -> ElementPlace:
    """The place in the form of an element of the outline. Raises EditRefused for an unknown one."""
    kind, key = split_element(element)
    renamable = key != source.main if kind == "file" else kind in TABLES and element != "entry:"
    return ElementPlace(place=_place(source, element), renamable=renamable)


def state_files(source: RegistrySource, state: str) -> tuple[str, ...]:
    """The files with the prompts and the schemas of a step."""
    step = source.steps.get(state)
    if step is None:
        return ()
    try:
        location = definition(source, step)
    except SchemaProblem:
        location = None
    links = [*prompt_links(source, step), *schema_links(source, step, location)]
    return tuple(dict.fromkeys(link.removeprefix("file:") for link, _ in links))


def _place(source: RegistrySource, element: str) -> Place:
    path, pointer = place_of(source, element)
    return source.locate(Place(path=path, pointer=pointer_text(pointer), element=element))


def _form(
    element: str,
    title: str,
    properties: dict[str, Schema],
    values: Values,
    place: Place,
    **more: Any,
) -> Form:
    """A form with the known keys first. Unknown keys are shown as JSON."""
    unknown = {key: raw(key) for key in values if key not in properties}
    schema = {"type": "object", "properties": {**properties, **unknown}}
    return Form(element=element, title=title, schema=schema, values=values, place=place, **more)


def _state(source: RegistrySource, step: Step, place: Place) -> Form:
    values = dict(step.value)
    path = existing_prompt(source, step)
    if path is not None:
        values["prompt"] = {"text": split_front_matter(prompt_text(source, path))[1]}
    location = None
    try:
        location = definition(source, step)
        if location is not None:
            values["schema"] = value_at(source, location)
    except SchemaProblem as problem:
        description = f"{problem}. Enter a schema to create it."
    else:
        description = "The definition in the schema file."
    hidden = OLDER_KEYS if source.generation == "B" else NEXT_KEYS
    properties = {
        key: item
        for key, item in step_schema(source.steps).items()
        if key not in hidden or key in values
    }
    properties["prompt"] = {**properties["prompt"], "description": prompt_note(source, step)}
    properties["schema"] = {**properties["schema"], "description": description}
    links = [*prompt_links(source, step), *schema_links(source, step, location)]
    links += [
        (f"transition:{transition.id}", f"{transition.label} → {transition.target}")
        for transition in step.transitions
    ]
    return _form(
        step.element,
        str(values.get("name") or step.id),
        properties,
        values,
        place,
        links=tuple(links),
        removable=True,
        renamable=True,
        prompt=prompt_field(source, step),
    )


def _transition(source: RegistrySource, key: str, place: Place) -> Form:
    transition = transition_of(source, key)
    rule = source.steps[transition.source].rules[transition.intent]
    values: Values = {**rule, "intent": transition.intent, "target": transition.target}
    properties = dict(rule_schema(source.steps)["properties"])
    properties = {"intent": choice("Intent", INTENTS), **properties}
    if transition.value is not None:
        values["value"] = transition.value
        properties["value"] = text("Value", "The answer that selects this transition.")
    if transition.kind == "value" and "target" not in rule:
        properties["target"] = {**properties["target"], "description": "For this value."}
    links = tuple(
        (f"state:{id}", id) for id in dict.fromkeys((transition.source, transition.target))
    )
    return _form(
        f"transition:{key}",
        f"{transition.label} → {transition.target}",
        properties,
        values,
        place,
        links=links,
        removable=True,
    )


def _derived(source: RegistrySource, transition: DerivedTransition) -> Form:
    """A transition that follows from another part of the file, to be read only."""
    element = f"transition:{transition.id}"
    place = Place(path=source.main, pointer=pointer_text(transition.pointer), element=element)
    target = transition.target or "end of the run"
    values: Values = {"intent": transition.label, "target": target}
    properties = {
        "intent": {**text("Intent", transition.why), **COMPUTED},
        "target": {**text("Target"), **COMPUTED},
    }
    ends = [id for id in (transition.source, transition.target) if id]
    return _form(
        element,
        f"{transition.label} → {target}",
        properties,
        values,
        source.locate(place),
        links=tuple((f"state:{id}", id) for id in dict.fromkeys(ends)),
        removable=transition.label == CLOSING,
    )


def _entry(source: RegistrySource, key: str, place: Place) -> Form:
    target = dict(source.entries).get(key, "")
    mapping = source.value.get("entryStepMapping")
    pair = mapping.get(key) if key and isinstance(mapping, dict) else None
    values: Values = pair if isinstance(pair, dict) else {"step": target}
    properties = schemas.entry_schema(source.steps, paired=isinstance(pair, dict))
    title = key or "Entry step"
    return _form(
        f"entry:{key}",
        title,
        properties,
        values,
        place,
        links=tuple(
            (f"state:{id}", id)
            for id in values.values()
            if isinstance(id, str) and id in source.steps
        ),
        removable=True,
        renamable=key in VERDICTS or bool(key),
    )


def _object(source: RegistrySource, kind: str, key: str, place: Place) -> Form:
    value = source.table(TABLES[kind]).get(key, {})
    if kind == "validator":
        properties = schemas.validator_schema(source.table("failurePatterns"))
    elif kind == "failurePattern":
        properties = schemas.pattern_schema()
    else:
        properties = schemas.validation_schema(source.table("validators"))
    return _form(
        f"{kind}:{key}", key, properties, dict(value), place, removable=True, renamable=True
    )


def _file(source: RegistrySource, path: str, place: Place) -> Form:
    widget = "prompt" if path.endswith(".md") else "code"
    properties = {"text": text("Text", **{"x-widget": widget})}
    try:
        values: Values = {"text": source.files[path].decode("utf-8")}
    except UnicodeDecodeError:
        properties, values = {"text": text("Text", "Not UTF-8 text.", readOnly=True)}, {}
    return _form(
        f"file:{path}",
        path,
        properties,
        values,
        place,
        removable=path != source.main,
        renamable=path != source.main,
    )
