"""Role templates."""

from __future__ import annotations

from typing import Any, get_args

from rest_framework import serializers as s

from workflows.core.pack.findings import LEVELS
from workflows.core.prompts.role_templates.names import LONGEST
from workflows.core.prompts.role_templates.permissions import Kind
from workflows.core.prompts.role_templates.resolve import Origin

SOURCES = get_args(Origin)
SOURCE = "pack: one of the pack's files; server: stored here; shipped: comes with Signalbox."


class TemplateBadge(s.Serializer[Any]):
    word = s.CharField()
    kind = s.ChoiceField(choices=get_args(Kind))
    meaning = s.CharField(allow_blank=True)


class TemplateProblem(s.Serializer[Any]):
    code = s.CharField()
    level = s.ChoiceField(choices=LEVELS)
    message = s.CharField()
    line = s.IntegerField()


class TemplateDescription(s.Serializer[Any]):
    name = s.CharField()
    source = s.ChoiceField(  # type: ignore[assignment]
        choices=SOURCES, help_text=SOURCE
    )
    hides = s.ListField(
        child=s.ChoiceField(choices=SOURCES), help_text="Where else there is one of this name."
    )
    has_header = s.BooleanField()
    version = s.CharField(allow_blank=True)
    badges = TemplateBadge(many=True)
    problems = TemplateProblem(many=True)


class Template(TemplateDescription):
    content = s.CharField(allow_blank=True)


class NewTemplate(s.Serializer[Any]):
    name = s.CharField(max_length=LONGEST, trim_whitespace=False)
    content = s.CharField(allow_blank=True, trim_whitespace=False)


class TemplateContent(s.Serializer[Any]):
    content = s.CharField(allow_blank=True, trim_whitespace=False)
