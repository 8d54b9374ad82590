"""Preview of a state's prompt."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s


class PromptBlocks(s.Serializer[Any]):
    system = s.CharField(allow_blank=True)
    role = s.CharField(allow_blank=True)
    mode = s.CharField(allow_blank=True)
    task = s.CharField(allow_blank=True)
    override = s.CharField(allow_blank=True)


class ComposedPrompt(s.Serializer[Any]):
    """As in the event `prompt.logged`. A prompt without layers has a text and a hash."""

    text = s.CharField(allow_blank=True)
    hash = s.CharField(help_text="SHA-256 of the whole text")
    header_hash = s.CharField(required=False)
    kind = s.ChoiceField(choices=["full", "delta"], required=False)
    turn = s.IntegerField(required=False)
    blocks = PromptBlocks(required=False)
    block_hashes = PromptBlocks(required=False, help_text="SHA-256 of each, empty for a blank one")


class PromptWarning(s.Serializer[Any]):
    """`path`: a JSON pointer into the role's prompt config."""

    path = s.CharField()
    message = s.CharField()


class StatePrompt(s.Serializer[Any]):
    prompt = ComposedPrompt(allow_null=True)
    problem = s.CharField(allow_blank=True, help_text="why there is no prompt, where there is none")
    warnings = PromptWarning(many=True)
    inputs = s.DictField(child=s.CharField(), help_text="simulated inputs of the run")
    gates = s.ListField(
        child=s.CharField(), help_text="labels of transitions that the verdict of a gate could take"
    )
    tokens = s.IntegerField(help_text="an estimate")
    template = s.CharField(
        allow_null=True, help_text="the role's task template; null without a role"
    )
    fallback = s.BooleanField(help_text="`ticket_task` replaces a missing `cron_task`")
