"""Find and replace, and the check of a text that is not saved yet."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import Edit, Finding
from workflows.api.serializers.history import FileDifference
from workflows.core.pack.find import AREAS

LONGEST_TEXT = 4_000_000


class TextToCheck(s.Serializer[Any]):
    path = s.CharField()
    text = s.CharField(allow_blank=True, trim_whitespace=False, max_length=LONGEST_TEXT)


class CheckedText(s.Serializer[Any]):
    readable = s.BooleanField(help_text="False if the pack could not be drawn with this text.")
    findings = Finding(many=True, help_text="The errors of reading this file.")


class FindRequest(s.Serializer[Any]):
    query = s.CharField(trim_whitespace=False, max_length=500)
    replacement = s.CharField(
        required=False,
        allow_null=True,
        allow_blank=True,
        trim_whitespace=False,
        max_length=5_000,
        help_text="Without one, nothing is replaced.",
    )
    match_case = s.BooleanField(required=False, default=False)
    whole_words = s.BooleanField(required=False, default=False)
    areas = s.ListField(child=s.ChoiceField(choices=AREAS), required=False)
    only = s.ListField(
        child=s.CharField(), required=False, help_text="Replace only these, by their `key`."
    )


class Match(s.Serializer[Any]):
    key = s.CharField()
    area = s.ChoiceField(choices=AREAS)
    element = s.CharField(help_text="The element to show.")
    path = s.CharField()
    line = s.IntegerField()
    text = s.CharField(help_text="The line or name that matches, shortened.")
    replaced = s.CharField(help_text="The same after the replacement.")
    count = s.IntegerField(help_text="Occurrences in it.")


class FindResult(s.Serializer[Any]):
    revision = s.IntegerField()
    matches = Match(many=True)
    truncated = s.BooleanField(help_text="There are more matches than these.")
    edits = s.ListField(child=Edit(), help_text="The edits of the replacement, to send as one.")
    refused = s.ListField(child=s.CharField(), help_text="Why other edits are not possible.")
    files = FileDifference(many=True, help_text="Differences that the replacement makes.")
