"""The graph of a pack, and the inspector's forms."""

from __future__ import annotations

from typing import Any, get_args

from rest_framework import serializers as s

from workflows.api.serializers.common import Finding, values
from workflows.bindings.step_kinds import KINDS
from workflows.core.pack.graph import TransitionKind

TRANSITION_KINDS = get_args(TransitionKind)


class GateTransitions(s.Serializer[Any]):
    """Labels of the transitions that a verdict takes."""

    def get_fields(self) -> dict[str, s.Field[Any, Any, Any, Any]]:
        return {"pass": s.CharField(), "fail": s.CharField()}


class BoundRole(s.Serializer[Any]):
    """The role bound to a state, stored separately from the files. `name` and `color` are the
    role's at the time of binding. With a `gate` it gives a verdict."""

    role = s.IntegerField()
    name = s.CharField()
    color = s.CharField()
    override = s.CharField()
    mode = s.IntegerField(allow_null=True)
    gate = GateTransitions(allow_null=True, required=False)
    kind = s.ChoiceField(
        choices=list(KINDS), required=False, help_text="Of the step; by default an agent's."
    )


class ApprovalLimit(s.Serializer[Any]):
    """After `hours` (0: never) without an answer of a person, a question is denied or approved, or
    its run ends. A command or call is never approved by time."""

    hours = s.FloatField(min_value=0, max_value=366 * 24)
    outcome = s.ChoiceField(choices=["deny", "approve", "end"])


class Route(s.Serializer[Any]):
    """The drawn line of a transition or an entry. It is valid as long as both cards are where they
    were: `source` and `target` are their [x, y, width, height]."""

    points = s.ListField(child=s.ListField(child=s.FloatField(), min_length=2, max_length=2))
    label = s.ListField(child=s.FloatField(), min_length=2, max_length=2, allow_null=True)  # type: ignore[assignment]
    source = s.ListField(child=s.FloatField(), min_length=4, max_length=4)  # type: ignore[assignment]
    target = s.ListField(child=s.FloatField(), min_length=4, max_length=4)


class State(s.Serializer[Any]):
    id = s.CharField()
    kind = s.CharField()
    name = s.CharField()
    terminal = s.BooleanField()
    stateless = s.BooleanField()
    group = s.CharField(allow_null=True)
    role = s.CharField()
    prompt_users = s.IntegerField(
        help_text="Number of states that share the prompt; 0 if no other state uses it."
    )
    prompt = s.CharField(help_text="The element with the prompt; empty for the state itself.")
    prompt_line = s.CharField(help_text="The first line of the prompt.")
    counts = s.DictField(child=s.IntegerField())
    max_visits = s.IntegerField(allow_null=True)
    level = s.CharField()
    inside = s.CharField()
    x = s.FloatField(allow_null=True)
    y = s.FloatField(allow_null=True)
    width = s.FloatField(allow_null=True)
    height = s.FloatField(allow_null=True)
    routes = s.DictField(child=Route(), allow_null=True)
    note = s.CharField()
    bound = BoundRole(allow_null=True)
    approval_limit = ApprovalLimit(allow_null=True)


class Transition(s.Serializer[Any]):
    id = s.CharField()
    source = s.CharField()  # type: ignore[assignment]
    target = s.CharField()
    label = s.CharField()  # type: ignore[assignment]
    kind = s.ChoiceField(choices=TRANSITION_KINDS)
    event = s.CharField()
    value = s.CharField(allow_null=True)
    inert = s.BooleanField()


class Entry(s.Serializer[Any]):
    state = s.CharField()
    key = s.CharField()


class Group(s.Serializer[Any]):
    id = s.CharField()
    name = s.CharField()
    kind = s.CharField()
    parent = s.CharField(allow_null=True)  # type: ignore[assignment]


class OutlineItem(s.Serializer[Any]):
    element = s.CharField()
    label = s.CharField()  # type: ignore[assignment]


class Section(s.Serializer[Any]):
    kind = s.CharField()
    title = s.CharField()
    items = OutlineItem(many=True)
    addable = s.BooleanField()


class PaletteItem(s.Serializer[Any]):
    kind = s.CharField()
    title = s.CharField()
    description = s.CharField()
    suggested_id = s.CharField()
    level = s.CharField(help_text='"" is the first canvas; else the kind of element it opens.')
    id_pattern = s.CharField(help_text='The form of an id; "" is any.')
    id_rule = s.CharField(help_text="Its description for people.")


class Button(s.Serializer[Any]):
    can = s.BooleanField()
    label = s.CharField()  # type: ignore[assignment]


class Graph(s.Serializer[Any]):
    pack = s.IntegerField()
    revision = s.IntegerField()
    dialect = s.CharField()
    profile = s.CharField()
    name = s.CharField()
    entry = s.CharField(allow_null=True)
    entries = Entry(many=True)
    states = State(many=True)
    transitions = Transition(many=True)
    groups = Group(many=True)
    readable = s.BooleanField(
        help_text="False while the text is broken; the graph is then the last readable one."
    )
    findings = Finding(many=True)
    outline = Section(many=True)
    palette = PaletteItem(many=True)
    undo = Button()
    redo = Button()
    saved_at = s.DateTimeField()


class Offer(s.Serializer[Any]):
    source = s.CharField()  # type: ignore[assignment]
    label = s.CharField(help_text='"" is any new name that matches `pattern`.')  # type: ignore[assignment]
    kind = s.ChoiceField(choices=TRANSITION_KINDS)
    targets = s.ListField(child=s.CharField(), allow_null=True)
    pattern = s.CharField()
    rule = s.CharField(help_text="A description of the pattern.")
    reason = s.CharField()


class Link(s.Serializer[Any]):
    element = s.CharField()
    label = s.CharField()  # type: ignore[assignment]


class TextRange(s.Serializer[Any]):
    element = s.CharField()
    line = s.IntegerField(help_text="From 1.")
    column = s.IntegerField(help_text="From 0, in UTF-16 units.")
    end_line = s.IntegerField()
    end_column = s.IntegerField()


class PromptName(s.Serializer[Any]):
    """A name that a prompt can use."""

    name = s.CharField()
    kind = s.ChoiceField(["variable", "fragment", "artifact", "run", "tool"])
    help = s.CharField()


class PromptField(s.Serializer[Any]):
    """The field with the prompt of a state, which can be part of another element's form. A
    placeholder is `opening`, a name and `closing`. `declarations` is the JSON pointer of the list
    that declares variables, "" if there is none: as names, or with `declares_objects` as objects
    with a `name`. With `complete`, a name that is not in `names` has no value in a run. `tools` are
    those that the model can call with this prompt."""

    element = s.CharField()
    field = s.CharField()
    names = PromptName(many=True)
    tools = PromptName(many=True)
    opening = s.CharField()
    closing = s.CharField()
    declarations = s.CharField(allow_blank=True)
    declares_objects = s.BooleanField()
    complete = s.BooleanField()


class Form(s.Serializer[Any]):
    element = s.CharField()
    title = s.CharField()
    schema = values()
    values = values()
    path = s.CharField()
    pointer = s.CharField()
    line = s.IntegerField()
    links = Link(many=True)
    removable = s.BooleanField()
    renamable = s.BooleanField()
    prompt = PromptField(allow_null=True)
