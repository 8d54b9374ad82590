"""Serializers of the API. Those of prompts only describe: `roles.core` validates, and returns all
errors at once."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from roles.core.memory import SCOPES
from roles.core.modes import MODE_TYPES, MOST_TURNS
from roles.core.preview import TASKS

ERROR = {"$ref": "#/components/schemas/Error"}


@extend_schema_field({"$ref": "#/components/schemas/Json"})
class AnyValue(s.JSONField):
    """Any JSON value."""


class AllOptional(s.Serializer[Any]):
    # A docstring would become the description of the classes that derive from this one.

    def get_fields(self) -> Any:
        fields = super().get_fields()
        for field in fields.values():
            field.required = False
        return fields


class Problem(s.Serializer[Any]):
    """`path` is a JSON pointer; `start` and `end` are character offsets in the text there."""

    path = s.CharField(allow_blank=True)
    code = s.CharField()
    message = s.CharField()
    level = s.CharField(help_text="`error` or `warning`")
    start = s.IntegerField()
    end = s.IntegerField()


class InvalidRole(s.Serializer[Any]):
    """A refusal. If the code is `validation_error`, `details` has every error."""

    code = s.CharField()
    message = s.CharField()
    hint = s.CharField(allow_blank=True)
    where = s.CharField(allow_blank=True)
    details = Problem(many=True, required=False)


class RoleTemplates(s.Serializer[Any]):
    ticket_task = s.CharField(allow_blank=True)
    chat_task = s.CharField(allow_blank=True)
    gate_eval = s.CharField(allow_blank=True)
    cron_task = s.CharField(allow_blank=True, required=False)


class RoleOutputTemplates(s.Serializer[Any]):
    agent_done = s.CharField(allow_blank=True)
    gate_pass = s.CharField(allow_blank=True)
    gate_fail = s.CharField(allow_blank=True)


def texts() -> s.ListField:
    """An optional list of texts."""
    return s.ListField(child=s.CharField(allow_blank=True), required=False)


class RoleMemoryProfile(s.Serializer[Any]):
    core_focus = texts()
    project_focus = texts()
    priority_categories = texts()


class PromptConfig(s.Serializer[Any]):
    """The prompts of a role, and the form of its answers. Unknown keys are kept."""

    system_prompt = s.CharField()
    developer_prompt = s.CharField(allow_blank=True, required=False)
    templates = RoleTemplates()
    output_templates = RoleOutputTemplates()
    memory_profile = RoleMemoryProfile(required=False)


class Prompt(s.Serializer[Any]):
    prompt_config = PromptConfig()
    revision = s.IntegerField()
    warnings = Problem(many=True)


class NewPrompt(s.Serializer[Any]):
    prompt_config = PromptConfig()


class PromptPatch(s.Serializer[Any]):
    """A merge patch of `{"prompt_config": …}`: null removes a key, lists are replaced."""

    prompt_config = AnyValue()


class AgentRole(s.Serializer[Any]):
    id = s.IntegerField()
    name = s.CharField()
    description = s.CharField(allow_blank=True)
    created_by = s.CharField(allow_null=True)
    is_system = s.BooleanField()
    source_role_id = s.IntegerField(allow_null=True)
    color = s.CharField()
    platform_scopes = s.ListField(child=s.CharField())
    prompt_config = PromptConfig()
    revision = s.IntegerField()
    created_at = s.DateTimeField()
    updated_at = s.DateTimeField()


class _Page(s.Serializer[Any]):
    next = s.URLField(allow_null=True)
    count = s.IntegerField()


class AgentRolePage(_Page):
    results = AgentRole(many=True)


class NewAgentRole(s.Serializer[Any]):
    name = s.CharField(max_length=100)
    description = s.CharField(required=False, allow_blank=True, max_length=10_000)
    color = s.RegexField(r"^#[0-9A-Fa-f]{6}$", required=False)
    platform_scopes = s.ListField(child=s.CharField(max_length=100), required=False)
    prompt_config = PromptConfig()


class AgentRoleChange(AllOptional, NewAgentRole):
    pass


class PlatformScopes(s.Serializer[Any]):
    platform_scopes = s.ListField(child=s.CharField(max_length=100))


class RoleRevisionDescription(s.Serializer[Any]):
    number = s.IntegerField()
    reason = s.CharField()
    made_by = s.CharField(allow_null=True)
    made_at = s.DateTimeField()
    current = s.BooleanField()


class RoleRevisionPage(_Page):
    results = RoleRevisionDescription(many=True)


class RoleRevisionWhole(RoleRevisionDescription):
    prompt_config = PromptConfig()


class PromptDifference(s.Serializer[Any]):
    path = s.CharField()
    kind = s.CharField(help_text="`added`, `removed` or `changed`")
    before = AnyValue()
    after = AnyValue()
    lines = s.ListField(child=s.CharField(allow_blank=True))


PromptDifferences = type(
    "PromptDifferences",
    (s.Serializer,),
    {
        "from": s.IntegerField(),
        "to": s.IntegerField(),
        "changes": PromptDifference(many=True),
        "__module__": __name__,
    },
)


class PreviewRequest(s.Serializer[Any]):
    """`context`: sections (global, project, ticket, pipeline, role_local, git, chat, gate, step,
    context) of names and values. `prompt_config`: an unsaved config. `mode`: the id of an active
    mode; `system_addon`: an unsaved one."""

    task_type = s.ChoiceField(choices=tuple(TASKS))
    context = s.DictField(  # type: ignore[assignment]
        child=s.DictField(child=AnyValue()), required=False
    )
    prompt_config = PromptConfig(required=False)
    mode = s.IntegerField(required=False, allow_null=True)
    system_addon = s.CharField(required=False, allow_blank=True)


class TokenCounts(s.Serializer[Any]):
    """Estimates: the exact count depends on the model's vocabulary."""

    system = s.IntegerField()
    developer = s.IntegerField()
    user = s.IntegerField()
    total = s.IntegerField()
    estimate = s.BooleanField()


class Preview(s.Serializer[Any]):
    """The messages: `user` is `task`, then `output`. `warnings`: variables without a value;
    `problems`: warnings about the config."""

    template = s.CharField(allow_null=True)
    fallback = s.BooleanField()
    system = s.CharField(allow_blank=True)
    developer = s.CharField(allow_blank=True)
    user = s.CharField(allow_blank=True)
    task = s.CharField(allow_blank=True)
    output = s.CharField(allow_blank=True)
    system_and_developer = s.CharField(allow_blank=True)
    warnings = Problem(many=True)
    tokens = TokenCounts()
    problems = Problem(many=True)


class PromptVariable(s.Serializer[Any]):
    name = s.CharField()
    section = s.CharField()
    about = s.CharField()
    places = s.ListField(child=s.CharField())
    example = AnyValue()


class NewMemory(s.Serializer[Any]):
    """`role` for the scopes core and project, `project` for project and shared."""

    scope = s.ChoiceField(choices=SCOPES)
    role = s.IntegerField(required=False, allow_null=True, min_value=0, max_value=2**53)
    project = s.CharField(required=False, allow_blank=True, max_length=100)
    fact = s.CharField(max_length=4_000)
    category = s.CharField(max_length=100)
    confidence = s.FloatField(required=False, min_value=0, max_value=1)


class MemoryChange(s.Serializer[Any]):
    fact = s.CharField(max_length=4_000, required=False)
    category = s.CharField(max_length=100, required=False)
    confidence = s.FloatField(required=False, min_value=0, max_value=1)


class MemoryDescription(s.Serializer[Any]):
    id = s.IntegerField()
    role = s.IntegerField(allow_null=True)
    project = s.CharField(allow_blank=True)
    scope = s.ChoiceField(choices=SCOPES)
    namespace = s.CharField()
    fact = s.CharField()
    category = s.CharField()
    confidence = s.FloatField()
    created_at = s.DateTimeField()
    updated_at = s.DateTimeField()


class MemoryPage(_Page):
    results = MemoryDescription(many=True)


class ModePrompt(s.Serializer[Any]):
    system_addon = s.CharField(required=False, allow_blank=True)
    guidelines = texts()
    entry_message = s.CharField(required=False, allow_blank=True)
    exit_message = s.CharField(required=False, allow_blank=True)


class ModeTools(s.Serializer[Any]):
    allow = texts()
    deny = texts()
    additional_scopes = texts()
    activate_mcp = texts()


class ModeArtifact(s.Serializer[Any]):
    type = s.CharField(required=False, allow_blank=True)
    format = s.CharField(required=False, allow_blank=True)
    filename_template = s.CharField(required=False, allow_blank=True)
    output_template = s.CharField(required=False, allow_blank=True)


class ModeSession(s.Serializer[Any]):
    max_turns = s.IntegerField(required=False, min_value=1, max_value=MOST_TURNS)
    auto_save_interval = s.IntegerField(required=False, min_value=1, max_value=MOST_TURNS)
    exit_commands = texts()


class ModeManifest(s.Serializer[Any]):
    """The manifest of a mode. Unknown keys are kept."""

    schema_version = s.IntegerField(required=False, min_value=1, max_value=1)
    mode_type = s.ChoiceField(choices=MODE_TYPES)
    system_addon = s.CharField(required=False, allow_blank=True)
    prompt = ModePrompt(required=False)
    tools = ModeTools(required=False)
    artifact = ModeArtifact(required=False)
    session = ModeSession(required=False)


class NewMode(s.Serializer[Any]):
    name = s.CharField(max_length=100)
    manifest = ModeManifest()


class ModeChange(s.Serializer[Any]):
    name = s.CharField(max_length=100, required=False)
    manifest = ModeManifest(required=False)


class ModeDescription(s.Serializer[Any]):
    id = s.IntegerField()
    name = s.CharField()
    manifest = ModeManifest()
    warnings = Problem(many=True)
    created_at = s.DateTimeField()
    updated_at = s.DateTimeField()


class ModePage(_Page):
    results = ModeDescription(many=True)
