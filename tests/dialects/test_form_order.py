"""The order and the labels of the fields of a state, in every dialect and sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.checks import each_row
from workflows.core.dialects import dialects
from workflows.core.pack.forms import Form


def forms() -> Iterator[tuple[str, Form]]:
    """The forms of all states and of all elements of the outline, with a name for the test."""
    for name, dialect in dialects().items():
        for sample, files in dialect.samples().items():
            source = dialect.read(files)
            profile = dialect.profiles[0]
            states = [f"state:{state.id}" for state in dialect.graph(source, profile).states]
            listed = [item[0] for section in dialect.outline(source) for item in section.items]
            for element in dict.fromkeys([*states, *listed]):
                form = dialect.fields(source, element, profile)
                yield f"{name}/{sample} {element}", form


FORMS = dict(forms())


def properties_of(form: Form) -> dict[str, dict[str, Any]]:
    properties: Any = form.schema["properties"]
    return dict(properties)


def ordered(form: Form) -> list[str]:
    order: Any = form.schema.get("x-order", [])
    names = list(properties_of(form))
    return [name for name in order if name in names] + [n for n in names if n not in order]


def own_fields(form: Form) -> list[str]:
    """The fields below the prompt of the form."""
    above = (
        form.prompt.field.split("/")[1]
        if form.prompt and form.prompt.element == form.element
        else ""
    )
    return [name for name in ordered(form) if name != above]


def test_no_two_fields_of_a_form_have_the_same_label() -> None:
    for place, form in FORMS.items():
        properties = properties_of(form)
        labels = [str(properties[name].get("title", name)).lower() for name in own_fields(form)]
        labels += ["prompt"] if form.prompt else []
        assert len(set(labels)) == len(labels), place


FIRST_GROUPS = {
    "promptpack": ["Flow", "Turn"],
    "stages": ["Flow", "Tools and result", "Input", "Limits", "Checks"],
    "steps_registry": ["Gate", "Answer", "In a run", "Input", "Step"],
    "agent_graph": ["Texts", "Model", "Rights", "Agent"],
}


@each_row(FIRST_GROUPS)
def test_the_groups_of_a_state_are_in_the_order_of_use(dialect: str) -> None:
    checked = 0
    for place, form in FORMS.items():
        if not place.startswith(f"{dialect}/") or not form.element.startswith("state:"):
            continue
        properties = properties_of(form)
        usual = [name for name in own_fields(form) if not properties[name].get("x-rare")]
        groups = list(dict.fromkeys(properties[name].get("x-group", "") for name in usual))
        known = [name for name in FIRST_GROUPS[dialect] if name in groups]
        assert [name for name in groups if name in known] == known, place
        checked += groups == FIRST_GROUPS[dialect]
    assert checked > 0


def test_fields_without_effect_are_rare() -> None:
    words = ("Not read since", "Not used by runs", "without effect", "never used")
    for place, form in FORMS.items():
        for name, schema in properties_of(form).items():
            text = str(schema.get("description", ""))
            if any(word in text for word in words) and schema.get("x-group") != "Other keys":
                assert schema.get("x-rare"), f"{place} {name}"
