"""Packs in the gallery, and requests that create one."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from workflows.api.serializers.common import RUN_STATUSES, Finding, Page
from workflows.api.serializers.graph import ApprovalLimit
from workflows.core.engine.run_options import TYPES as INPUT_TYPES
from workflows.core.pack.findings import LEVELS


class LastRun(s.Serializer[Any]):
    id = s.CharField()
    status = s.ChoiceField(choices=RUN_STATUSES)
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


@extend_schema_field(
    {
        "type": "array",
        "description": "x1, y1, x2, y2, dashed",
        "prefixItems": [{"type": "number"}] * 4 + [{"type": "boolean"}],
        "minItems": 5,
        "maxItems": 5,
    }
)
class Line(s.ListField):
    """One transition of a thumbnail."""


class Thumbnail(s.Serializer[Any]):
    width = s.FloatField()
    height = s.FloatField()
    states = ThumbnailState(many=True)
    lines = s.ListField(child=Line())


class Card(s.Serializer[Any]):
    id = s.IntegerField()
    name = s.CharField()
    dialect = s.CharField()
    dialect_label = s.CharField()
    profile = s.CharField()
    main = s.CharField()
    origin = s.CharField()
    folder = s.CharField(help_text="Folder in the gallery. Empty for none.")
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
    approval_limit = ApprovalLimit(allow_null=True)
    file_name = s.CharField(
        allow_null=True, help_text="The display name in the pack's files. Null if they have none."
    )


class CardPage(Page):
    results = Card(many=True)


class Imported(s.Serializer[Any]):
    packs = Card(many=True)
    ignored = s.ListField(child=s.CharField())
    findings = Finding(many=True)
    updated = s.ListField(
        child=s.IntegerField(), help_text="Ids of existing packs that were merged."
    )


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
            raise s.ValidationError("Give either a sample or a dialect.")
        return attrs


class DuplicateName(s.Serializer[Any]):
    name = s.CharField(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="Name of the copy. Default: the pack's name, with “(copy)”.",
    )


class PackChange(s.Serializer[Any]):
    name = s.CharField(required=False, max_length=200)
    in_files = s.BooleanField(
        required=False, help_text="Also set the display name in the pack's files, as an edit."
    )
    profile = s.CharField(required=False)
    folder = s.CharField(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="Folder in the gallery. Empty for none.",
    )
    approval_limit = ApprovalLimit(
        required=False, allow_null=True, help_text="Null: the limit of the server applies."
    )


class RunOption(s.Serializer[Any]):
    name = s.CharField(help_text="The name of the input.")
    title = s.CharField()
    help = s.CharField()
    values = s.ListField(
        child=s.CharField(), help_text="The values to choose from. Empty for any text."
    )
    required = s.BooleanField(help_text="A run without it cannot start.")  # type: ignore[assignment]


class RunInput(s.Serializer[Any]):
    """An input that the pack describes. `prompts`: only runs of these prompts use it; empty for
    every run. `by_role`: a role names it, not the pack. `simulated`: the value of a rehearsal that
    gets none."""

    name = s.CharField()
    help = s.CharField()
    type = s.ChoiceField(choices=list(INPUT_TYPES))
    required = s.BooleanField()  # type: ignore[assignment]
    default = s.CharField()
    examples = s.ListField(child=s.CharField())
    values = s.ListField(child=s.CharField())
    prompts = s.ListField(child=s.CharField())
    by_role = s.BooleanField()
    simulated = s.CharField()


class WorstCase(s.Serializer[Any]):
    """The most that one run can use; null without a limit. `tokens` are those that models write.
    `cost` in USD with the most expensive `model` that the connection and the choices of the pack
    name; null if a price or the tokens are not known. `as_before`: each call reads, and without a
    limit writes, as many tokens as in earlier runs; false: only the tokens written have a cost."""

    visits = s.IntegerField(allow_null=True)
    calls = s.IntegerField(allow_null=True)
    tokens = s.IntegerField(allow_null=True)
    cost = s.FloatField(allow_null=True)
    model = s.CharField()
    as_before = s.BooleanField()


class PastUse(s.Serializer[Any]):
    model_calls = s.FloatField()
    input_tokens = s.FloatField()
    output_tokens = s.FloatField()
    cost = s.FloatField()
    seconds = s.FloatField()


class PastRuns(s.Serializer[Any]):
    runs = s.IntegerField()
    median = PastUse()
    most = PastUse()


class RunEstimate(s.Serializer[Any]):
    """`past`: the newest completed runs with a model."""

    worst = WorstCase()
    past = PastRuns(allow_null=True)


class RunCost(s.Serializer[Any]):
    """The most that one run can cost, at published prices."""

    most = s.FloatField(allow_null=True, help_text="USD; null if a number or a price is missing.")
    models = s.DictField(child=s.FloatField(), help_text="Model → USD.")
    missing = s.ListField(child=s.CharField(), help_text="Missing numbers and prices.")
    basis = s.CharField(help_text="The tokens and prices that the figures rest on.")


class CallBound(s.Serializer[Any]):
    """The most agents or model calls of one run."""

    formula = s.CharField(help_text="The bound over what only a run knows.")
    most = s.IntegerField(
        allow_null=True, help_text="Its value with the assumptions; null without a limit."
    )
    unit = s.ChoiceField(["agents", "model calls"])
    unknowns = s.ListField(child=s.CharField(), help_text="All that can be assumed.")
    open = s.ListField(
        child=s.CharField(), help_text="Unknowns with neither a limit nor an assumption."
    )
    phases = s.DictField(child=s.CharField(), help_text="Phase → its bound.")
    models = s.DictField(child=s.CharField(), help_text="Model → its bound.")
    cost = RunCost()


class CallApproval(s.Serializer[Any]):
    """Calls that the pack lets a person approve. `tool`: "" for every tool. `states`: empty for
    all. `reason`: the text that follows the names of the tool or the states."""

    tool = s.CharField()
    states = s.ListField(child=s.CharField())
    reason = s.CharField()


class RunStart(s.Serializer[Any]):
    inputs = RunInput(many=True)
    estimate = RunEstimate()
    approvals = CallApproval(many=True)


class Sample(s.Serializer[Any]):
    dialect = s.CharField()
    dialect_label = s.CharField()
    name = s.CharField()
    title = s.CharField()
    description = s.CharField()
    states = s.IntegerField()


class RuleDescription(s.Serializer[Any]):
    code = s.CharField()
    level = s.ChoiceField(choices=LEVELS)
    title = s.CharField()
    help = s.CharField()
    profiles = s.ListField(
        child=s.CharField(),
        help_text="The profiles in which the rule holds. It finds nothing elsewhere.",
    )
    hint_in = s.ListField(
        child=s.CharField(), help_text="The profiles in which its findings are hints."
    )


class DialectDescription(s.Serializer[Any]):
    name = s.CharField()
    label = s.CharField()  # type: ignore[assignment]
    profiles = s.ListField(child=s.CharField())
    converts_to = s.ListField(
        child=s.CharField(), help_text="The dialects to which its packs can be converted."
    )
    rules = RuleDescription(many=True)
