"""Marks that people put on runs: tags and scores. And filters of the list of runs."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workflows.models.runs import Run


class RunTag(models.Model):
    """A tag of a run."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="tags", db_index=False)
    """The constraint below is the index."""
    name = models.CharField(max_length=40, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "name"], name="one_tag_per_name")]


class RunScore(models.Model):
    """The score that a person gave a run, from -1 to 1."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="scores", db_index=False)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    value = models.FloatField()
    comment = models.CharField(max_length=400, blank=True)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "person"], name="one_run_score")]


class RunFilter(models.Model):
    """A filter of the list of runs that a person saved, as the query of its address."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="run_filters"
    )
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=1_000)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "name"], name="one_run_filter")]
