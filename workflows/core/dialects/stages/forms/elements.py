"""Forms of the inspector: values from the files, with the format's page as help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workflows.core.dialects.stages.format.elements import ENTRY_FIELDS, grants, setups
from workflows.core.dialects.stages.forms import schemas
from workflows.core.dialects.stages.forms.prompt_names import prompt_names, prompt_tools
from workflows.core.dialects.stages.graph.transitions import (
    StageTransition,
    find_transition,
    outgoing_transitions,
)
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.json_schemas.fields import raw, text
from workflows.core.pack.edits import EditRefused, missing_element
from workflows.core.pack.findings import Place
from workflows.core.pack.forms import ElementPlace, Form, Json, PromptField
from workflows.core.pack.shared_prompts import shared_note, with_note
from workflows.core.text.tolerant import as_object

MAX_LINKS = 20
MAX_CHOICES = 500


def form(source: StagesSource, element: str) -> Form:
    """The form of one element. Raises EditRefused for an unknown element."""
    kind, _, key = element.partition(":")
    if kind == "file" and key in source.files:
        return _file(source, key)
    if not source.readable:
        raise EditRefused("The pipeline cannot be read.", hint="Correct it in the text view.")
    if element == "pack":
        return _pack(source)
    if kind == "state" and key in source.stages:
        return _stage(source, key)
    if kind == "transition" and (transitions := find_transition(source, key)):
        return _transition(source, transitions[0])
    if kind == "grant" and key in grants(source):
        return _grant(source, key)
    if kind == "setup" and key in setups(source):
        return _setup(source, key)
    raise missing_element(element)


def element_place(source: StagesSource, element: str) -> ElementPlace:
    """The place in the form of an element of the outline. Raises EditRefused for an unknown one."""
    kind, _, key = element.partition(":")
    if kind == "file" and key in source.files:
        return ElementPlace(place=Place(path=key, element=element))
    if source.readable and element == "pack":
        return ElementPlace(place=source.place(element="pack"))
    if source.readable and kind == "grant" and key in grants(source):
        return ElementPlace(place=_grant_place(source, key), renamable=True)
    if source.readable and kind == "setup" and key in setups(source):
        return ElementPlace(place=_setup_place(source, key), renamable=True)
    raise missing_element(element)


def state_files(source: StagesSource, state: str) -> tuple[str, ...]:
    """The file of a stage, if the pack has it."""
    file = source.stages.get(state)
    return (file.path,) if file is not None and not file.missing else ()


def _grant_place(source: StagesSource, key: str) -> Place:
    return source.place("grants", grants(source)[key], element=f"grant:{key}")


def _setup_place(source: StagesSource, key: str) -> Place:
    stage, name = setups(source)[key]
    return source.place("stages", stage, "setup", name, element=f"setup:{key}")


def _form(
    element: str,
    title: str,
    properties: Mapping[str, Any],
    values: Mapping[str, Json],
    place: Place,
    **more: Any,
) -> Form:
    """A form. Unknown keys follow the others, as JSON."""
    unknown = {
        key: raw(key, "Not a key of the format. Kept, without effect.", **{"x-group": "Other keys"})
        for key in values
        if key not in properties
    }
    schema = {"type": "object", "title": title, "properties": {**properties, **unknown}}
    return Form(element=element, title=title, schema=schema, values=values, place=place, **more)


def _stage(source: StagesSource, stage: str) -> Form:
    file, entry = source.stages[stage], source.entry(stage)
    values: dict[str, Json] = {
        key: value for key, value in file.values.items() if key not in (*ENTRY_FIELDS, "body")
    }
    if file.front is not None or file.text is not None:
        values["body"] = file.body
    values |= {key: value for key, value in entry.items() if key in ENTRY_FIELDS}
    element = f"state:{stage}"
    if source.pipeline is None:
        place = Place(path=file.path, element=element)
    else:
        place = source.place("stages", stage, element=element)
    properties = schemas.stage_schema(file.values, _choices(source), ctx_sources(source))
    if file.form == "object":
        dropped = {"name", "description", "tags", "retryPolicy", "resolutionPolicy", "inputsSchema"}
        properties = {k: v for k, v in properties.items() if k in values or k not in dropped}
    users = [key for key, other in source.stages.items() if other.path == file.path]
    if (note := shared_note(users, stage)) and "body" in properties:
        description = with_note(properties["body"].get("description"), note)
        properties = {**properties, "body": {**properties["body"], "description": description}}
    name = file.values.get("name")
    return _form(
        element, name if isinstance(name, str) and name else stage, properties, values, place,
        links=tuple(_stage_links(source, stage)), removable=True, renamable=True,
        prompt=PromptField(
            element=element,
            field="/body",
            names=tuple(prompt_names(source, stage)),
            tools=prompt_tools(file.values),
        ) if "body" in properties else None,
    )  # fmt: skip


def _stage_links(source: StagesSource, stage: str) -> Iterator[tuple[str, str]]:
    file = source.stages[stage]
    if not file.missing:
        yield f"file:{file.path}", "Stage file"
    targets = dict.fromkeys(each.target for each in outgoing_transitions(source)[stage])
    for target in [target for target in targets if target in source.stages][:MAX_LINKS]:
        yield f"state:{target}", f"Leads to {target}"
    for key, index in grants(source).items():
        listed: Any = source.whole().get("grants")
        stages = as_object(listed[index]).get("stages")
        if isinstance(stages, list) and stage in stages:
            yield f"grant:{key}", f"Grant for {key}"


def ctx_sources(source: StagesSource) -> tuple[str, ...]:
    """Sources of a ctx field: the run's inputs, slot values, the payload of the previous stage."""
    inputs = as_object(source.whole().get("runInputSchema")).get("properties")
    sources = [f"run.input.{name}" for name in as_object(inputs)]
    for stage in source.stages:
        slots = as_object(source.entry(stage).get("exit")).get("slot")
        sources += [f"slot.{name}" for name in as_object(slots)]
    sources.append("upstream[0].parsed")
    return tuple(dict.fromkeys(sources))[:MAX_CHOICES]


def _choices(source: StagesSource) -> list[str]:
    return list(source.stages)[:MAX_CHOICES]


def _transition(source: StagesSource, each: StageTransition) -> Form:
    stages = _choices(source)
    names: dict[str, Any] = {"x-choices": stages, "x-element": "state"}
    leads = text("Leads to", **names)
    values: dict[str, Json] = {"label": each.label, "target": each.target}
    label = text("Label", "then, parallel, else, or a condition such as approved = true.")
    if each.route is None:
        label = {**label, "description": "", "readOnly": True}
    properties = {"label": label, "target": leads}
    if each.route is not None and each.plan.pointer[-1] == "then":
        values["when"] = dict(each.route.when or {})
        properties["when"] = schemas.condition_schema("When")
    if each.plan.parallel and each.part == "next":
        properties["join"] = text(
            "Branches meet at",
            "The stage that waits for all branches. It does not run if a branch fails.",
            **names,
        )
        if each.plan.join is not None:
            values["join"] = each.plan.join
    ends = dict.fromkeys((each.source, each.target))
    return _form(
        f"transition:{each.id}", f"{each.label} → {each.target}", properties, values,
        source.place(*each.pointer, element=f"transition:{each.id}"),
        links=tuple((f"state:{stage}", stage) for stage in ends), removable=True,
    )  # fmt: skip


def _pack(source: StagesSource) -> Form:
    values = {k: v for k, v in source.whole().items() if k not in ("stages", "grants")}
    title = "Pipeline" if source.pipeline is not None else "Stages without a pipeline"
    return _form(
        "pack", title, schemas.pack_schema(_choices(source)), values,
        source.place(element="pack"),
        links=((f"file:{source.main}", "Pipeline file"),) if source.main in source.files else (),
    )  # fmt: skip


def _grant(source: StagesSource, key: str) -> Form:
    listed: Any = source.whole().get("grants")
    return _form(
        f"grant:{key}", f"Grant for {key}", schemas.grant_schema(_choices(source)),
        dict(as_object(listed[grants(source)[key]])),
        _grant_place(source, key),
        removable=True, renamable=True,
    )  # fmt: skip


def _setup(source: StagesSource, key: str) -> Form:
    stage, name = setups(source)[key]
    fields: Any = source.entry(stage).get("setup")
    return _form(
        f"setup:{key}", f"ctx.{name} in {stage}", schemas.setup_schema(ctx_sources(source)),
        dict(as_object(fields[name])),
        _setup_place(source, key),
        links=((f"state:{stage}", stage),), removable=True, renamable=True,
    )  # fmt: skip


def _file(source: StagesSource, path: str) -> Form:
    widget = "prompt" if path.endswith(".md") else "code"
    properties = {"text": text("Text", **{"x-widget": widget})}
    try:
        values: dict[str, Json] = {"text": source.files[path].decode("utf-8")}
    except UnicodeDecodeError:
        properties, values = {"text": text("Text", "Not UTF-8 text.", readOnly=True)}, {}
    place = Place(path=path, element=f"file:{path}")
    return _form(f"file:{path}", path, properties, values, place, removable=path != source.main)
