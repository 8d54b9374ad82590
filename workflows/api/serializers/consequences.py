"""Proposed edits, and what they would cause."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import Edit, Finding, Page, values
from workflows.api.serializers.edits import Base, GraphDifference
from workflows.models import Proposal


class ProposedEdits(Base):
    edits = s.ListField(
        child=Edit(),
        required=False,
        help_text="1 to 100 edits, all or none. Either these or `files`.",
    )
    files = s.DictField(
        child=s.CharField(allow_null=True, allow_blank=True, trim_whitespace=False),
        required=False,
        help_text="Texts of changed files by path; null removes a file.",
    )
    rehearse = s.BooleanField(
        required=False, default=True, help_text="With coverage, which may take seconds."
    )
    keep = s.BooleanField(
        required=False,
        default=False,
        help_text="Store the proposal. Users who may edit the pack decide about its parts.",
    )
    note = s.CharField(
        required=False,
        default="",
        allow_blank=True,
        help_text="The author's words about a proposal that is kept.",
    )


class CoverageCount(s.Serializer[Any]):
    taken = s.IntegerField()
    of = s.IntegerField()
    problem = s.CharField(allow_blank=True)


class CoverageChange(s.Serializer[Any]):
    before = CoverageCount()
    after = CoverageCount()
    lost = s.ListField(
        child=s.CharField(), help_text="Transitions that only the rehearsal before takes."
    )


class DivergingRun(s.Serializer[Any]):
    run = s.UUIDField()
    n = s.IntegerField(help_text="The first event that differs.")
    message = s.CharField()
    svg = s.CharField(help_text="The divergence, drawn on the graph.", allow_blank=True)


class RemovedTransition(s.Serializer[Any]):
    transition = s.CharField()
    run = s.UUIDField()
    n = s.IntegerField(help_text="The event in which the run took it.")


class CaseChange(s.Serializer[Any]):
    """A case before and after the change. null: it has no verdict, or is not in that version."""

    case = s.CharField(help_text="The path of its file.")
    name = s.CharField()
    before = s.BooleanField(allow_null=True)
    after = s.BooleanField(allow_null=True)
    message = s.CharField(allow_blank=True, help_text="Why it does not hold after the change.")


class WorstBound(s.Serializer[Any]):
    """The most of one run. null: the files set no bound."""

    visits = s.IntegerField(allow_null=True)
    calls = s.IntegerField(allow_null=True)
    tokens = s.IntegerField(allow_null=True)


class WorstCaseChange(s.Serializer[Any]):
    before = WorstBound(allow_null=True)
    after = WorstBound(allow_null=True)


class ChangedFile(s.Serializer[Any]):
    path = s.CharField()
    change = s.ChoiceField(choices=["added", "changed", "deleted"])
    diff = s.CharField()


class Consequences(s.Serializer[Any]):
    base = s.IntegerField()
    proposal = s.IntegerField(
        required=False, allow_null=True, help_text="Id of the proposal that was kept."
    )
    readable = s.BooleanField()
    parts = s.ListField(
        child=s.ListField(child=s.IntegerField()),
        help_text="Indices of the edits of each part; a part can be accepted without the others.",
    )
    difference = values(allow_null=True, help_text="As `signalbox diff --format json`.")
    files = ChangedFile(many=True)
    findings_new = Finding(many=True)
    findings_fixed = Finding(many=True)
    worst_case = WorstCaseChange()
    coverage = CoverageChange(allow_null=True)
    diverging_runs = DivergingRun(many=True, allow_null=True)
    runs = s.IntegerField(help_text="Recorded runs that were replayed.")
    removed_taken = RemovedTransition(
        many=True, help_text="Removed transitions that a recorded run took, each with the newest."
    )
    cases = CaseChange(many=True)


PROPOSAL_STATUSES = Proposal.Status.values


class ProposalPart(s.Serializer[Any]):
    edits = s.ListField(child=Edit())
    summary = s.CharField()
    status = s.ChoiceField(choices=PROPOSAL_STATUSES)
    by = s.CharField(help_text="Name of the user who decided; empty while it is pending.")
    reason = s.CharField(help_text="Why it was rejected.")
    revision = s.IntegerField(allow_null=True, help_text="The revision that accepted it.")
    stale = s.CharField(
        help_text="Why it no longer applies to the newest revision. Lists leave it empty."
    )


class StoredProposal(s.Serializer[Any]):
    id = s.IntegerField()
    author = s.CharField()
    note = s.CharField()
    base = s.IntegerField(help_text="The revision on which the pending parts are based.")
    status = s.ChoiceField(choices=PROPOSAL_STATUSES)
    created_at = s.DateTimeField()
    parts = ProposalPart(
        many=True, help_text="Each can be accepted or rejected without the others."
    )


class ProposalPage(Page):
    results = StoredProposal(many=True)


class ReviewedProposal(StoredProposal):
    head = s.IntegerField(help_text="The revision to which the parts would be applied.")
    consequences = Consequences(
        allow_null=True, help_text="Of the chosen parts that apply; null if there are none."
    )
    graph = GraphDifference(
        allow_null=True, help_text="From the newest revision; null if the files become unreadable."
    )


class ProposalParts(s.Serializer[Any]):
    parts = s.ListField(child=s.IntegerField(min_value=0), help_text="Numbers of parts, from 0.")


class ProposalRejection(ProposalParts):
    reason = s.CharField(
        required=False, default="", allow_blank=True, help_text="The proposal keeps it."
    )
