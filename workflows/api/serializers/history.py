"""Files, revisions, differences and exports."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import Page


class PackFile(s.Serializer[Any]):
    path = s.CharField()
    size = s.IntegerField()
    text = s.BooleanField()


class FileText(s.Serializer[Any]):
    path = s.CharField()
    revision = s.IntegerField()
    text = s.CharField(required=False)
    binary = s.BooleanField(required=False)


class RevisionDescription(s.Serializer[Any]):
    number = s.IntegerField()
    kind = s.ChoiceField(choices=["import", "edit", "undo", "redo", "restore"])
    author = s.CharField()
    summary = s.CharField()
    name = s.CharField()
    undoes = s.IntegerField(allow_null=True)
    created_at = s.DateTimeField()


class RevisionPage(Page):
    results = RevisionDescription(many=True)


class RevisionName(s.Serializer[Any]):
    name = s.CharField(allow_blank=True, max_length=200)


class FileDifference(s.Serializer[Any]):
    path = s.CharField()
    diff = s.CharField()


class Sets(s.Serializer[Any]):
    added = s.ListField(child=s.CharField())
    removed = s.ListField(child=s.CharField())
    changed = s.ListField(child=s.CharField())


class Difference(s.Serializer[Any]):
    files = FileDifference(many=True)
    states = Sets()
    transitions = Sets()


class GitExport(s.Serializer[Any]):
    repository = s.CharField(help_text="Absolute path of a working copy on the server.")
    branch = s.CharField(max_length=200)
    message = s.CharField(max_length=10_000)
    folder = s.CharField(required=False, allow_blank=True, default="")


class GitExported(s.Serializer[Any]):
    commit = s.CharField()
    branch = s.CharField()
    paths = s.ListField(child=s.CharField())
    unchanged = s.BooleanField()
