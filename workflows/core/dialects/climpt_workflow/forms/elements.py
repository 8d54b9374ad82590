"""The form of one element: its schema and its values in the file."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.climpt_workflow.edits.common import base_of, outcome_of, phase_of
from workflows.core.dialects.climpt_workflow.recognise import name_of
from workflows.core.dialects.climpt_workflow.schemas import parts as schemas
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.json_schemas.fields import Schema, text
from workflows.core.pack.findings import Place
from workflows.core.pack.forms import ElementPlace, Form
from workflows.core.text.tolerant import as_object

OWN = ("phases", "agents", "labelMapping")
"""Top-level keys with forms of their own."""


def element_place(source: WorkflowSource, element: str) -> ElementPlace:
    """The place in the form of an element of the outline. Raises EditRefused for an unknown one."""
    return ElementPlace(place=_place(source, element), renamable=element != "pack")


def _place(source: WorkflowSource, element: str) -> Place:
    return source.locate(source.place(*base_of(source, element), element=element))


def fields(source: WorkflowSource, element: str, profile: str) -> Form:
    """The form of an element. Raises EditRefused for an unknown element."""
    kind, _, key = (element or "pack").partition(":")
    parts = source.parts
    match kind:
        case "transition":
            return _transition(source, key)
        case "state":
            values = dict(phase_of(parts, key).value)
            links = tuple(
                (f"agent:{id}", id) for id in (parts.phases[key].agent,) if id in parts.agents
            )
            return _form(source, element, key, schemas.phase_schema(parts), values, links=links)
        case "agent":
            base_of(source, element)
            return _form(
                source, element, key, schemas.agent_schema(parts), dict(parts.agents[key].value)
            )
        case "label":
            base_of(source, element)
            spec = as_object(parts.value.get("labels")).get(key)
            values = {"phase": parts.labels[key], **as_object(spec)}
            return _form(source, element, key, schemas.label_schema(parts), values)
    base_of(source, element or "pack")
    values = {name: item for name, item in parts.value.items() if name not in OWN}
    return _form(source, "pack", name_of(source.main), schemas.pack_schema(), values)


def _form(
    source: WorkflowSource,
    element: str,
    title: str,
    properties: dict[str, Schema],
    values: dict[str, Any],
    links: tuple[tuple[str, str], ...] = (),
) -> Form:
    """A form with the known keys first. Unknown keys are shown as JSON."""
    unknown = {key: {"title": key, "x-widget": "json"} for key in values if key not in properties}
    own = element != "pack"
    return Form(
        element=element,
        title=title,
        schema={"type": "object", "properties": {**properties, **unknown}},
        values=values,
        place=_place(source, element),
        links=links,
        removable=own,
        renamable=own,
    )


def _transition(source: WorkflowSource, key: str) -> Form:
    phase, outcome = outcome_of(source.parts, key)
    agent = source.parts.phases[phase].agent
    note = f"An outcome of the agent “{agent}”, in every phase in which it works."
    properties = {
        "outcome": text("Outcome", note, readOnly=outcome.part != "outcome"),
        "target": schemas.phase(source.parts, "Phase"),
    }
    element = f"transition:{key}"
    return Form(
        element=element,
        title=f"{outcome.label} → {outcome.target}",
        schema={"type": "object", "properties": properties},
        values={"outcome": outcome.label, "target": outcome.target},
        place=source.locate(source.place(*outcome.pointer, element=element)),
        links=((f"state:{phase}", phase), (f"agent:{agent}", agent)),
        removable=True,
    )
