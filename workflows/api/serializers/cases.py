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


class RecordedFiles(s.Serializer[Any]):
    files = s.DictField(
        child=s.CharField(trim_whitespace=False, allow_blank=True),
        help_text="Path → text of the files that the runtime has written about one run.",
    )


class Spending(s.Serializer[Any]):
    """The use of one state in a recorded run."""

    state = s.CharField()
    calls = s.IntegerField()
    tokens = s.IntegerField()
    money = s.CharField(help_text="USD; a range if only the sum of the tokens is recorded.")


class RecordedRun(s.Serializer[Any]):
    """A run that another runtime of the format has recorded."""

    runtime = s.CharField(help_text="Name of the runtime, and how calls were matched.")
    events = s.ListField(child=s.DictField(), help_text="Its log.")
    holds = s.BooleanField(help_text="True if the pack as it is now takes the same path.")
    message = s.CharField(allow_blank=True, help_text="Its first divergence.")
    states = Spending(many=True, help_text="The use of each state that called a model.")


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
