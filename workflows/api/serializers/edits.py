"""Edits and their changes."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import AnyValue, Edit, Error, Finding
from workflows.api.serializers.graph import Button, Entry, Form, Group, Section, State, Transition
from workflows.db.integers import MAX_INTEGER


class Base(s.Serializer[Any]):
    base = s.IntegerField(min_value=1, max_value=MAX_INTEGER)


class EditOptions(Base):
    check_later = s.BooleanField(
        required=False,
        default=False,
        help_text="Answer before the rules of a large pack have run: `findings` is then null.",
    )
    element = s.CharField(
        required=False,
        allow_blank=True,
        default="",
        help_text="The element whose form after the edit belongs to the answer.",
    )
    leave_out_moves = s.BooleanField(
        required=False,
        default=False,
        help_text="Leave out the states of which only the position and routes changed, if"
        " `rebased` is false. The sender applies them.",
    )


class Edits(EditOptions):
    edits = s.ListField(child=Edit())


class StatesDifference(s.Serializer[Any]):
    set = State(many=True)
    gone = s.ListField(child=s.CharField())


class TransitionsDifference(s.Serializer[Any]):
    set = Transition(many=True)
    gone = s.ListField(child=s.CharField())


class GraphDifference(s.Serializer[Any]):
    states = StatesDifference()
    transitions = TransitionsDifference()
    prompt_users = s.DictField(
        child=s.IntegerField(),
        help_text="Prompt → number of states that share it, for each state with this role that"
        " had a number above zero. Such a state is in `states` only if more of it changed.",
    )
    entries = Entry(many=True)
    groups = Group(many=True)
    name = s.CharField()


class Change(s.Serializer[Any]):
    revision = s.IntegerField()
    base = s.IntegerField()
    readable = s.BooleanField(
        help_text="False while the text is broken; the graph is then the last readable one."
    )
    rebased = s.BooleanField()
    reload = s.BooleanField()
    graph = GraphDifference(allow_null=True)
    findings = Finding(
        many=True,
        allow_null=True,
        help_text="null: the pack is still being checked; `findings/` waits for it.",
    )
    form = Form(required=False, help_text="The form of the requested element, if the pack has it.")
    outline = Section(many=True, allow_null=True)
    undo = Button()
    redo = Button()
    saved_at = s.DateTimeField()
    summary = s.CharField()
    notice = s.CharField(
        required=False,
        allow_blank=True,
        help_text="The summary of a change in an opened folder that replaced an edit of the same"
        " place. Undo restores the edit.",
    )


class TheirRevision(s.Serializer[Any]):
    number = s.IntegerField()
    author = s.CharField()
    summary = s.CharField()


class ConflictPlace(s.Serializer[Any]):
    path = s.CharField()
    line = s.IntegerField()
    yours = s.CharField()
    theirs = s.CharField()


class ConflictError(Error):
    head = s.IntegerField()
    yours = s.ListField(child=Edit())
    theirs = TheirRevision(many=True)
    places = ConflictPlace(many=True)


class States(s.Serializer[Any]):
    states = s.ListField(child=s.CharField(), min_length=1, max_length=5000)


class Fragment(s.Serializer[Any]):
    fragment = AnyValue()
