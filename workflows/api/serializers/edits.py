"""Edits and their changes."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import AnyValue, Edit, Error, Finding
from workflows.api.serializers.graph import Button, Entry, Group, Section, State, Transition
from workflows.db.integers import MAX_INTEGER


class Edits(s.Serializer[Any]):
    base = s.IntegerField(min_value=1, max_value=MAX_INTEGER)
    edits = s.ListField(child=Edit())


class Base(s.Serializer[Any]):
    base = s.IntegerField(min_value=1, max_value=MAX_INTEGER)


class StatesDifference(s.Serializer[Any]):
    set = State(many=True)
    gone = s.ListField(child=s.CharField())


class TransitionsDifference(s.Serializer[Any]):
    set = Transition(many=True)
    gone = s.ListField(child=s.CharField())


class GraphDifference(s.Serializer[Any]):
    states = StatesDifference()
    transitions = TransitionsDifference()
    entries = Entry(many=True)
    groups = Group(many=True)
    name = s.CharField()


class Change(s.Serializer[Any]):
    revision = s.IntegerField()
    base = s.IntegerField()
    rebased = s.BooleanField()
    reload = s.BooleanField()
    graph = GraphDifference(allow_null=True)
    findings = Finding(many=True)
    outline = Section(many=True, allow_null=True)
    undo = Button()
    redo = Button()
    saved_at = s.DateTimeField()
    summary = s.CharField()


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
