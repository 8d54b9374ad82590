"""States, transitions, artifacts and agents of all packs."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from workflows.api.serializers.common import values
from workflows.models import Agent, Artifact, RunEvent, State, Transition
from workflows.selectors.run_artifacts import logged_artifact


class _OfPack(s.ModelSerializer[Any]):
    pack = s.IntegerField(source="pack_id")
    pack_name = s.CharField(source="pack.name")
    dialect = s.CharField(source="pack.dialect")


FIELDS = ("id", "pack", "pack_name", "dialect")


class RoleOfState(s.Serializer[Any]):
    role = s.IntegerField()
    name = s.CharField()


class StoredState(_OfPack):
    """`prompt`: the prompt that the state calls, or its role in an agent graph. `bound`: the role
    that is bound to it, null also if you may not see that role."""

    prompt = s.CharField(source="role")
    bound = s.SerializerMethodField()

    class Meta:
        model = State
        fields = (
            *FIELDS, "key", "kind", "name", "prompt", "entry", "terminal", "level", "note", "bound",
        )  # fmt: skip

    @extend_schema_field(RoleOfState(allow_null=True))
    def get_bound(self, state: State) -> dict[str, Any] | None:
        role = state.bound
        if not isinstance(role, dict) or role.get("role") not in self.context["readable_roles"]:
            return None
        return {"role": role["role"], "name": role.get("name", "")}


class StoredTransition(_OfPack):
    class Meta:
        model = Transition
        fields = (*FIELDS, "key", "source", "target", "label", "kind", "level")


class StoredAgent(_OfPack):
    card = values()

    class Meta:
        model = Agent
        fields = (*FIELDS, "key", "description", "card")


class StoredArtifact(_OfPack):
    """`run` is null for an artifact that the pack declares. `n` and `at` (seconds since 1970) are
    those of the event that set it."""

    run = s.UUIDField(source="run_id", allow_null=True)
    at = s.FloatField(allow_null=True)

    class Meta:
        model = Artifact
        fields = (*FIELDS, "run", "name", "type", "value", "n", "at")


class LoggedArtifact(_OfPack):
    """A prompt or a diff in the log of a run, in the shape of StoredArtifact. Its `id` is null."""

    pack = s.IntegerField(source="run.pack_id")
    pack_name = s.CharField(source="run.pack.name")
    dialect = s.CharField(source="run.pack.dialect")
    run = s.UUIDField(source="run_id")

    class Meta:
        model = RunEvent
        fields = ("pack", "pack_name", "dialect", "run", "n", "at")

    def to_representation(self, event: RunEvent) -> dict[str, Any]:
        return {
            "id": None,
            **super().to_representation(event),
            **logged_artifact(self.context["type"], event),
        }
