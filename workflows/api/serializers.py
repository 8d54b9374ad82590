"""Shapes of the API: they check what comes in and describe what goes out. They hold no rules."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.numbers import LARGEST


class Error(s.Serializer[Any]):
    code = s.CharField()
    message = s.CharField()
    hint = s.CharField(allow_blank=True)
    where = s.CharField(allow_blank=True)


class Fix(s.Serializer[Any]):
    label = s.CharField()  # type: ignore[assignment]
    edits = s.ListField(child=s.DictField())


class Finding(s.Serializer[Any]):
    code = s.CharField()
    level = s.ChoiceField(choices=["error", "warning", "hint"])
    message = s.CharField()
    path = s.CharField()
    pointer = s.CharField()
    line = s.IntegerField()
    element = s.CharField()
    hint = s.CharField()
    fix = Fix(allow_null=True)
    walk = s.ListField(child=s.CharField())


class LastRun(s.Serializer[Any]):
    id = s.CharField()
    status = s.CharField()
    driver = s.CharField()
    created_at = s.DateTimeField()


class ThumbnailState(s.Serializer[Any]):
    id = s.CharField()
    x = s.FloatField()
    y = s.FloatField()
    w = s.FloatField()
    h = s.FloatField()
    kind = s.CharField()
    terminal = s.BooleanField()
    entry = s.BooleanField()


class Thumbnail(s.Serializer[Any]):
    width = s.FloatField()
    height = s.FloatField()
    states = ThumbnailState(many=True)
    lines = s.ListField(
        child=s.ListField(child=s.JSONField()), help_text="[x1, y1, x2, y2, dashed] each"
    )


class Card(s.Serializer[Any]):
    id = s.IntegerField()
    name = s.CharField()
    dialect = s.CharField()
    dialect_label = s.CharField()
    profile = s.CharField()
    main = s.CharField()
    origin = s.CharField()
    head = s.IntegerField()
    errors = s.IntegerField()  # type: ignore[assignment]
    warnings = s.IntegerField()
    states = s.IntegerField()
    transitions = s.IntegerField()
    changed_at = s.DateTimeField()
    last_run = LastRun(allow_null=True)
    thumbnail = Thumbnail()


class PackDetail(Card):
    profiles = s.ListField(child=s.CharField())


class Imported(s.Serializer[Any]):
    packs = Card(many=True)
    ignored = s.ListField(child=s.CharField())
    findings = Finding(many=True)


class ImportText(s.Serializer[Any]):
    text = s.CharField(trim_whitespace=False)
    name = s.CharField(required=False, allow_blank=True, help_text="File name of the text.")


class ImportFiles(s.Serializer[Any]):
    files = s.ListField(child=s.FileField())
    paths = s.ListField(child=s.CharField(), required=False)


class NewPack(s.Serializer[Any]):
    sample = s.CharField(required=False, help_text="<dialect>/<name> as `samples/` lists it")
    dialect = s.CharField(required=False)
    name = s.CharField(required=False, allow_blank=True, max_length=200)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if bool(attrs.get("sample")) == bool(attrs.get("dialect")):
            raise s.ValidationError("Say either a sample or a dialect.")
        return attrs


class PackChange(s.Serializer[Any]):
    name = s.CharField(required=False, max_length=200)
    profile = s.CharField(required=False)


class Sample(s.Serializer[Any]):
    dialect = s.CharField()
    dialect_label = s.CharField()
    name = s.CharField()
    title = s.CharField()
    description = s.CharField()
    states = s.IntegerField()


class RuleDescription(s.Serializer[Any]):
    code = s.CharField()
    level = s.CharField()
    title = s.CharField()
    help = s.CharField()


class DialectDescription(s.Serializer[Any]):
    name = s.CharField()
    label = s.CharField()  # type: ignore[assignment]
    profiles = s.ListField(child=s.CharField())
    rules = RuleDescription(many=True)


class State(s.Serializer[Any]):
    id = s.CharField()
    kind = s.CharField()
    name = s.CharField()
    terminal = s.BooleanField()
    stateless = s.BooleanField()
    group = s.CharField(allow_null=True)
    role = s.CharField()
    counts = s.DictField(child=s.IntegerField())
    max_visits = s.IntegerField(allow_null=True)
    x = s.FloatField(allow_null=True)
    y = s.FloatField(allow_null=True)
    width = s.FloatField(allow_null=True)
    height = s.FloatField(allow_null=True)
    note = s.CharField()


class Transition(s.Serializer[Any]):
    id = s.CharField()
    source = s.CharField()  # type: ignore[assignment]
    target = s.CharField()
    label = s.CharField()  # type: ignore[assignment]
    kind = s.ChoiceField(
        choices=["event", "redirect", "fallback", "conditional", "delegate", "handoff"]
    )
    event = s.CharField()
    value = s.CharField(allow_null=True)
    inert = s.BooleanField()


class Entry(s.Serializer[Any]):
    state = s.CharField()
    key = s.CharField()


class Group(s.Serializer[Any]):
    id = s.CharField()
    name = s.CharField()
    kind = s.CharField()
    parent = s.CharField(allow_null=True)  # type: ignore[assignment]


class OutlineItem(s.Serializer[Any]):
    element = s.CharField()
    label = s.CharField()  # type: ignore[assignment]


class Section(s.Serializer[Any]):
    kind = s.CharField()
    title = s.CharField()
    items = OutlineItem(many=True)
    addable = s.BooleanField()


class PaletteItem(s.Serializer[Any]):
    kind = s.CharField()
    title = s.CharField()
    description = s.CharField()
    suggested_id = s.CharField()


class Button(s.Serializer[Any]):
    can = s.BooleanField()
    label = s.CharField()  # type: ignore[assignment]


class Graph(s.Serializer[Any]):
    pack = s.IntegerField()
    revision = s.IntegerField()
    dialect = s.CharField()
    profile = s.CharField()
    name = s.CharField()
    entry = s.CharField(allow_null=True)
    entries = Entry(many=True)
    states = State(many=True)
    transitions = Transition(many=True)
    groups = Group(many=True)
    findings = Finding(many=True)
    outline = Section(many=True)
    palette = PaletteItem(many=True)
    undo = Button()
    redo = Button()
    saved_at = s.DateTimeField()


class Offer(s.Serializer[Any]):
    source = s.CharField()  # type: ignore[assignment]
    label = s.CharField()  # type: ignore[assignment]
    kind = s.CharField()
    targets = s.ListField(child=s.CharField(), allow_null=True)
    pattern = s.CharField()
    reason = s.CharField()


class Link(s.Serializer[Any]):
    element = s.CharField()
    label = s.CharField()  # type: ignore[assignment]


class Form(s.Serializer[Any]):
    element = s.CharField()
    title = s.CharField()
    schema = s.DictField()
    values = s.DictField()
    path = s.CharField()
    pointer = s.CharField()
    line = s.IntegerField()
    links = Link(many=True)
    removable = s.BooleanField()
    renamable = s.BooleanField()


class Edits(s.Serializer[Any]):
    base = s.IntegerField(min_value=1, max_value=LARGEST)
    edits = s.ListField(child=s.DictField(), help_text="Objects with a `type` each.")


class Base(s.Serializer[Any]):
    base = s.IntegerField(min_value=1, max_value=LARGEST)


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
    yours = s.ListField(child=s.DictField())
    theirs = TheirRevision(many=True)
    places = ConflictPlace(many=True)


class PackFile(s.Serializer[Any]):
    path = s.CharField()
    size = s.IntegerField()
    text = s.BooleanField()


class RevisionDescription(s.Serializer[Any]):
    number = s.IntegerField()
    kind = s.ChoiceField(choices=["import", "edit", "undo", "redo", "restore"])
    author = s.CharField()
    summary = s.CharField()
    name = s.CharField()
    undoes = s.IntegerField(allow_null=True)
    created_at = s.DateTimeField()


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


class States(s.Serializer[Any]):
    states = s.ListField(child=s.CharField(), min_length=1, max_length=5000)


class Fragment(s.Serializer[Any]):
    fragment = s.JSONField()


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


class Rehearse(s.Serializer[Any]):
    runs = s.IntegerField(default=50, min_value=1, max_value=2000)
    seed = s.IntegerField(default=1, min_value=-LARGEST, max_value=LARGEST)


class Rehearsal(s.Serializer[Any]):
    runs = s.IntegerField()
    coverage = s.FloatField()
    transitions = s.DictField(child=s.IntegerField())
    states = s.DictField(child=s.IntegerField())
    unreached = s.ListField(child=s.CharField())
    shortest = s.DictField(child=s.ListField(child=s.CharField()))
    outcomes = s.DictField(child=s.IntegerField())
    notes = s.ListField(child=s.CharField())


class NewRun(s.Serializer[Any]):
    pack = s.IntegerField(min_value=0, max_value=LARGEST)
    revision = s.IntegerField(required=False, min_value=1, max_value=LARGEST)
    profile = s.CharField(required=False)
    driver = s.CharField()
    inputs = s.DictField(required=False)
    seed = s.IntegerField(required=False, min_value=-LARGEST, max_value=LARGEST)
    script = s.DictField(required=False)
    budget = s.DictField(required=False)
    delay_ms = s.IntegerField(required=False, min_value=0, max_value=60_000)
    paused = s.BooleanField(required=False)
    commands = s.BooleanField(required=False)


class RunDescription(s.Serializer[Any]):
    id = s.UUIDField()
    pack = s.IntegerField()
    pack_name = s.CharField()
    revision = s.IntegerField()
    profile = s.CharField()
    driver = s.CharField()
    status = s.CharField()
    reason = s.CharField()
    last = s.IntegerField()
    owner = s.CharField()
    created_at = s.DateTimeField()
    finished_at = s.DateTimeField(allow_null=True)
    path = s.ListField(child=s.CharField())


class Events(s.Serializer[Any]):
    events = s.ListField(child=s.DictField())
    last = s.IntegerField()
    status = s.CharField()


class ArtifactValue(s.Serializer[Any]):
    name = s.CharField()
    type = s.CharField()
    value = s.CharField()
    n = s.IntegerField(allow_null=True)


class NewSignal(s.Serializer[Any]):
    type = s.ChoiceField(choices=["pause", "resume", "step", "cancel", "Approve", "Reply", "Fire"])
    key = s.CharField(required=False, allow_blank=True)
    approve = s.BooleanField(required=False)
    event = s.CharField(required=False, allow_blank=True)
    state = s.CharField(required=False, allow_blank=True)
    text = s.CharField(required=False, allow_blank=True, trim_whitespace=False)
    structured = s.JSONField(required=False)
    tool_calls = s.ListField(child=s.DictField(), required=False)
    reason = s.CharField(required=False, allow_blank=True)


class FileText(s.Serializer[Any]):
    path = s.CharField()
    revision = s.IntegerField()
    text = s.CharField(required=False)
    binary = s.BooleanField(required=False)


class _Page(s.Serializer[Any]):
    next = s.URLField(allow_null=True)
    count = s.IntegerField()


class CardPage(_Page):
    results = Card(many=True)


class RevisionPage(_Page):
    results = RevisionDescription(many=True)


class RunPage(_Page):
    results = RunDescription(many=True)
