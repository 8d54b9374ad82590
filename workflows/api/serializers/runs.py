"""Runs, their events and signals; rehearsals."""

from __future__ import annotations

from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from workflows.api.serializers.common import RUN_STATUSES, AnyValue, Page, values
from workflows.api.serializers.graph import ApprovalLimit
from workflows.bindings.step_kinds import STARTED_BY
from workflows.core.engine.fixes import FixKind
from workflows.core.prompts.modes import PREAMBLES
from workflows.db.integers import MAX_INTEGER

RUN_SOURCES = ["person", "api", "webhook", "schedule"]


class Rehearse(s.Serializer[Any]):
    runs = s.IntegerField(default=50, min_value=1, max_value=2000)
    seed = s.IntegerField(default=1, min_value=-MAX_INTEGER, max_value=MAX_INTEGER)
    walk = s.IntegerField(
        default=0,
        min_value=0,
        max_value=2000,
        help_text="Number of the run whose `events` are returned; 0 for none.",
    )


class Walk(s.Serializer[Any]):
    number = s.IntegerField()
    outcome = s.CharField(help_text="The status with which the run ended, or `cut_short`.")
    reason = s.CharField(help_text="The reason if the run did not complete; empty otherwise.")
    state = s.CharField(help_text="The last state that the run entered.")
    transitions = s.IntegerField()
    events = s.IntegerField()


class WalkPlace(s.Serializer[Any]):
    walk = s.IntegerField()
    event = s.IntegerField()


class Rehearsal(s.Serializer[Any]):
    runs = s.IntegerField()
    coverage = s.FloatField(
        allow_null=True, help_text="From 0 to 1. Null if the pack has no transitions to take."
    )
    transitions = s.DictField(child=s.IntegerField())
    states = s.DictField(child=s.IntegerField())
    unreached = s.ListField(child=s.CharField())
    shortest = s.DictField(child=s.ListField(child=s.CharField()))
    outcomes = s.DictField(child=s.IntegerField())
    failed = s.BooleanField(help_text="True if every run failed. The notes begin with the reasons.")
    notes = s.ListField(child=s.CharField())
    walks = Walk(many=True)
    taken_in = s.DictField(
        child=WalkPlace(),
        help_text="Transition → the walk that takes it by the shortest path, and the number of the "
        "event with which it does.",
    )
    events = s.ListField(child=s.DictField(), help_text="The events of `walk`; empty for 0.")


def breakpoints() -> s.ListField:
    """Ids of states and transitions at which a run pauses by itself."""
    return s.ListField(child=s.CharField(max_length=1_000), required=False, max_length=1_000)


def run_mode() -> s.ChoiceField:
    """In PLANNING, commands are not run, and files are written below docs/ only."""
    return s.ChoiceField(choices=list(PREAMBLES), required=False)


class HowToRun(s.Serializer[Any]):
    """Options of a run, started from the beginning or as a fork."""

    revision = s.IntegerField(required=False, min_value=1, max_value=MAX_INTEGER)
    seed = s.IntegerField(required=False, min_value=-MAX_INTEGER, max_value=MAX_INTEGER)
    script = values(required=False)
    connection = s.CharField(required=False, max_length=100, allow_blank=True)
    model = s.CharField(required=False, max_length=200, allow_blank=True)
    mode = run_mode()
    budget = values(required=False)
    delay_ms = s.IntegerField(required=False, min_value=0, max_value=60_000)
    paused = s.BooleanField(required=False)
    commands = s.BooleanField(required=False)
    deny = s.BooleanField(required=False)


class RunWorkspace(s.Serializer[Any]):
    """The folder that tools and commands work in: a copy of the `pack` (also if left out), a
    `folder`, or a `git` work tree of a repository, made for the run at `ref` (default: HEAD)."""

    kind = s.ChoiceField(choices=["pack", "folder", "git"])
    path = s.CharField(required=False, allow_blank=True, max_length=4_000, default="")
    ref = s.CharField(required=False, allow_blank=True, max_length=400, default="")


class NewRun(HowToRun):
    pack = s.IntegerField(min_value=0, max_value=MAX_INTEGER)
    profile = s.CharField(required=False)
    driver = s.CharField()
    inputs = values(required=False)
    breakpoints = breakpoints()
    tools = values(required=False)
    allowed_tools = s.ListField(
        child=s.CharField(max_length=300),
        required=False,
        max_length=100,
        help_text="Tools whose calls need no approval in this run.",
    )
    workspace = RunWorkspace(required=False)
    tags = s.ListField(child=s.CharField(max_length=100), required=False, max_length=100)
    approval_limit = ApprovalLimit(
        required=False, help_text="Has precedence over the limits of states, pack and server."
    )
    started_by = s.ChoiceField(
        choices=list(STARTED_BY),
        required=False,
        help_text="By default a ticket. Roles get the task template for it.",
    )


class ForkedFrom(s.Serializer[Any]):
    """`revision`: the other run's, if it differs."""

    run = s.UUIDField()
    at = s.IntegerField()
    revision = s.IntegerField(required=False)


class RunScoreGiven(s.Serializer[Any]):
    person = s.CharField()
    value = s.FloatField()
    comment = s.CharField()


class RunDescription(s.Serializer[Any]):
    id = s.UUIDField()
    pack = s.IntegerField()
    pack_name = s.CharField()
    revision = s.IntegerField()
    profile = s.CharField()
    driver = s.CharField()
    status = s.ChoiceField(choices=RUN_STATUSES)
    reason = s.CharField()
    last = s.IntegerField()
    answer = s.CharField(help_text="The beginning of what it answered, once it has ended.")
    ends = s.CharField(help_text="The states in which it ended, separated by commas.")
    seconds = s.FloatField(
        allow_null=True,
        help_text="Its duration without pauses and without the time before a fork continued; null"
        " before its end.",
    )
    waited_seconds = s.FloatField(
        help_text="The part of `seconds` in which it only waited for people."
    )
    model_calls = s.IntegerField()
    tool_calls = s.IntegerField()
    input_tokens = s.IntegerField()
    output_tokens = s.IntegerField()
    cost = s.FloatField(help_text="USD, as far as the prices of the models are known.")
    owner = s.CharField()
    source = s.ChoiceField(choices=RUN_SOURCES)  # type: ignore[assignment]
    trigger = s.IntegerField(allow_null=True)
    trigger_name = s.CharField()
    kept = s.ChoiceField(choices=["", "star", "script"])
    created_at = s.DateTimeField()
    finished_at = s.DateTimeField(allow_null=True)
    path = s.ListField(child=s.CharField())
    forked_from = ForkedFrom(allow_null=True)
    note = s.CharField()
    tags = s.ListField(child=s.CharField())
    scores = RunScoreGiven(many=True)
    score = s.FloatField(allow_null=True, help_text="Mean of the scores; null without any.")


class CostSum(s.Serializer[Any]):
    """`key`: the pack's or person's number, or the day. `cost` in USD. `trials`: calls of runs that
    a person sent again."""

    key = s.CharField()
    name = s.CharField()
    runs = s.IntegerField()
    trials = s.IntegerField()
    input_tokens = s.IntegerField()
    output_tokens = s.IntegerField()
    cost = s.FloatField()


class ResultArtifact(s.Serializer[Any]):
    name = s.CharField()
    value = AnyValue()


class ResultTotals(s.Serializer[Any]):
    """`cost` in USD. `seconds` without pauses; in `waited_seconds` of them the run only waited for
    people."""

    seconds = s.FloatField()
    waited_seconds = s.FloatField()
    visits = s.IntegerField()
    transitions = s.IntegerField()
    model_calls = s.IntegerField()
    tool_calls = s.IntegerField()
    input_tokens = s.IntegerField()
    output_tokens = s.IntegerField()
    cost = s.FloatField()


class CallSums(s.Serializer[Any]):
    calls = s.IntegerField()
    input_tokens = s.IntegerField()
    output_tokens = s.IntegerField()
    cost = s.FloatField()
    seconds = s.FloatField()


class StateSums(CallSums):
    state = s.CharField()


class ModelSums(CallSums):
    provider = s.CharField()
    model = s.CharField()


class ResultTurn(s.Serializer[Any]):
    """One answered model call; `n` is the number of its event. `by`: the person who answered in
    place of the model."""

    n = s.IntegerField()
    state = s.CharField()
    provider = s.CharField()
    model = s.CharField()
    input_tokens = s.IntegerField()
    output_tokens = s.IntegerField()
    cost = s.FloatField()
    seconds = s.FloatField()
    error = s.CharField()
    by = s.CharField()


class PersonsAct(s.Serializer[Any]):
    """An act of a person, for example "denied by ada"; `n` is the number of its event. `detail`:
    the reason, the answer or the message."""

    n = s.IntegerField()
    words = s.CharField()
    detail = s.CharField()


class RunFix(s.Serializer[Any]):
    """A way to mend a failed or paused run. `resume` requests the answer again, `retry` continues a
    new run before the last step, `other_connection` does so with another model, `again` and
    `limits` start a new run with the same inputs. `connection`, `state` and `tool` are changed or
    opened; `name` names them."""

    kind = s.ChoiceField(choices=get_args(FixKind))
    text = s.CharField()
    name = s.CharField()


class RunResult(s.Serializer[Any]):
    """`ends`: the states in which the run is, or ended. `structured`: the answer's value, if it has
    one. `files`: those that changed in the workspace. Sums of model calls by state and by model.
    `people`: what people did, in order. `fixes`: ways to mend a failed or paused run."""

    run = s.UUIDField()
    status = s.ChoiceField(choices=RUN_STATUSES)
    reason = s.CharField()
    ends = s.ListField(child=s.CharField())
    answer = s.CharField()
    structured = AnyValue()
    artifacts = ResultArtifact(many=True)
    files = s.ListField(child=s.CharField())
    totals = ResultTotals()
    states = StateSums(many=True)
    models = ModelSums(many=True)
    turns = ResultTurn(many=True)
    people = PersonsAct(many=True)
    fixes = RunFix(many=True)


class RunScoreChange(s.Serializer[Any]):
    """`value` from -1 to 1."""

    value = s.FloatField()
    comment = s.CharField(required=False, allow_blank=True, max_length=400, default="")


class RunChange(s.Serializer[Any]):
    """Fields that are left out stay. `kept`: pruning skips the run. `tags` replaces all tags.
    `score` is that of the user; null removes it."""

    kept = s.BooleanField(required=False)
    tags = s.ListField(child=s.CharField(max_length=100), required=False, max_length=100)
    note = s.CharField(required=False, allow_blank=True, max_length=4_000)
    score = RunScoreChange(required=False, allow_null=True)


class BulkRuns(s.Serializer[Any]):
    """`cancel` the runs, or `retry` each: a new run with the same revision, inputs and driver."""

    action = s.ChoiceField(choices=["cancel", "retry"])
    runs = s.ListField(child=s.UUIDField(), min_length=1, max_length=200)


class BulkOutcome(s.Serializer[Any]):
    """`message` is the refusal, "" if the action was done. `run`: the id of the new run."""

    id = s.CharField()
    message = s.CharField()
    run = s.CharField()


class NewBranch(s.Serializer[Any]):
    """`message` of the commit; by default it names the pack and the run."""

    branch = s.CharField(max_length=200)
    message = s.CharField(required=False, allow_blank=True, max_length=10_000, default="")


class KeptBranch(s.Serializer[Any]):
    branch = s.CharField()
    commit = s.CharField()


class LocalRepository(s.Serializer[Any]):
    path = s.CharField()
    branches = s.ListField(child=s.CharField())


class WorkspaceChoices(s.Serializer[Any]):
    """`worktree`: the pack itself asks for a git work tree. `folders`: those that the operator
    allows, with everything below them."""

    worktree = s.BooleanField()
    folders = s.ListField(child=s.CharField())
    repositories = LocalRepository(many=True)


class RunPage(Page):
    results = RunDescription(many=True)


@extend_schema_field({"$ref": "#/components/schemas/RunEvent"})
class RunEvent(s.DictField):
    """An event as `workflows.core.engine.events` writes it."""


@extend_schema_field({"$ref": "#/components/schemas/Pending"})
class Pending(s.DictField):
    """A pending effect, as `workflows.core.engine.effects` writes it."""


class RunWait(s.Serializer[Any]):
    since = s.FloatField(allow_null=True, help_text="Seconds since 1970; null for no wait.")
    text = s.CharField(help_text="A sentence for a person; empty for no wait.")

    def get_fields(self) -> dict[str, Any]:
        # `for` is a keyword of Python.
        subject = s.ChoiceField(
            choices=["", "worker", "person", "model", "tool", "command"],
            help_text='Object of the wait; "" for a run that moves, has ended or is paused.',
        )
        return {"for": subject, **super().get_fields()}


class StartedRun(RunDescription):
    events = s.ListField(child=RunEvent(), help_text="The first events, at most 1,000.")


class Events(s.Serializer[Any]):
    events = s.ListField(child=RunEvent())
    last = s.IntegerField()
    status = s.ChoiceField(choices=RUN_STATUSES)


class ArtifactValue(s.Serializer[Any]):
    name = s.CharField()
    type = s.CharField()
    value = s.CharField()
    n = s.IntegerField(allow_null=True)
    hash = s.CharField(required=False, help_text="SHA-256 of the value, of those in the log.")


class SavedGraph(s.Serializer[Any]):
    """`name` of the new pack; `at`: with what was added by this event (all of it if left out)."""

    name = s.CharField(required=False, allow_blank=True, max_length=200)
    at = s.IntegerField(required=False, min_value=0, max_value=MAX_INTEGER)


class NewSignal(s.Serializer[Any]):
    """`breakpoints` replaces those of the run; with `until` the run also continues to that point
    once. `Tell` sends `text` to the agent in `state` (a node of an agent graph): it is delivered
    with the next turn, or with `interrupt` at once, ending the turn in progress. `Approve` with
    `rest` approves all further calls of the same tool in this run too; `revoke` withdraws that for
    the `tool`."""

    type = s.ChoiceField(
        choices=[
            "pause",
            "resume",
            "step",
            "cancel",
            "breakpoints",
            "Approve",
            "Reply",
            "Fire",
            "Tell",
            "revoke",
        ]
    )
    key = s.CharField(required=False, allow_blank=True)
    approve = s.BooleanField(required=False)
    event = s.CharField(required=False, allow_blank=True)
    state = s.CharField(required=False, allow_blank=True)
    text = s.CharField(required=False, allow_blank=True, trim_whitespace=False)
    structured = AnyValue(required=False)
    tool_calls = s.ListField(child=values(), required=False)
    reason = s.CharField(required=False, allow_blank=True)
    breakpoints = breakpoints()
    until = s.CharField(required=False, allow_blank=True, max_length=1_000)
    interrupt = s.BooleanField(required=False)
    rest = s.BooleanField(required=False)
    tool = s.CharField(required=False, allow_blank=True, max_length=1_000)
