"""Cases, and verdicts on recorded runs."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s


class VerifiedRun(s.Serializer[Any]):
    run = s.UUIDField()
    revision = s.IntegerField()
    created_at = s.DateTimeField()
    holds = s.BooleanField()
    events = s.IntegerField(help_text="Number of recorded events.")
    reworded = s.ListField(
        child=s.IntegerField(), help_text="Events with another wording, which is no divergence."
    )
    n = s.IntegerField(allow_null=True, help_text="The event at which it takes another path.")
    message = s.CharField(allow_blank=True)
    svg = s.CharField(allow_blank=True, help_text="The divergence, drawn on the graph.")


class CaseName(s.Serializer[Any]):
    name = s.CharField(max_length=200)


class NewCase(CaseName):
    run = s.UUIDField(help_text="An ended run of the pack.")


class Case(s.Serializer[Any]):
    path = s.CharField()
    name = s.CharField()
    description = s.CharField(allow_blank=True)
    holds = s.BooleanField(allow_null=True, help_text="null: it has no answers, or is unreadable.")
    n = s.IntegerField(allow_null=True, help_text="The first event that is not as expected.")
    message = s.CharField(
        allow_blank=True, help_text="Why it does not hold, has no verdict, or reaches no end."
    )
    unchecked = s.ListField(
        child=s.CharField(), help_text="Types of its assertions that need a model."
    )
