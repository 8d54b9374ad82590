"""Export formats and conversions."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import Finding
from workflows.api.serializers.packs import Card
from workflows.core.convert.conversion import FATES


class ExportForm(s.Serializer[Any]):
    name = s.CharField(help_text="Value of `export/?as=`.")
    title = s.CharField()
    description = s.CharField()
    refused = s.CharField(help_text='Why this pack has no such form; "" where it has.')
    paths = s.ListField(child=s.CharField())
    findings = Finding(many=True)


class ConvertTo(s.Serializer[Any]):
    to = s.CharField(help_text="The name of a dialect.")


class FateCounts(s.Serializer[Any]):
    kept = s.IntegerField()
    approximated = s.IntegerField()
    dropped = s.IntegerField()
    added = s.IntegerField()


class ReportEntry(s.Serializer[Any]):
    element = s.CharField()
    feature = s.CharField()
    fate = s.ChoiceField(choices=FATES)
    why = s.CharField()
    path = s.CharField()
    pointer = s.CharField()
    line = s.IntegerField()


class ConversionReport(s.Serializer[Any]):
    source = s.CharField()  # type: ignore[assignment]
    target = s.CharField()
    counts = FateCounts()
    report = ReportEntry(many=True)
    findings = Finding(many=True)


class Converted(s.Serializer[Any]):
    pack = Card()
    report = ConversionReport()
