"""OpenAI's chat protocol with developer messages, which the library does not have as a part."""

from __future__ import annotations

from collections.abc import AsyncIterable
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import ModelRequest, SystemPromptPart
from pydantic_ai.models.openai import OpenAIChatModel


class DeveloperPromptPart(SystemPromptPart):
    """Instructions of a developer: after the system's, before the user's first message."""


class ChatModel(OpenAIChatModel):
    """Sends `DeveloperPromptPart` with the role `developer`."""

    async def _map_user_message(self, message: ModelRequest) -> AsyncIterable[Any]:
        """Developer parts, then the other parts as the library maps them."""
        others = []
        for part in message.parts:
            if isinstance(part, DeveloperPromptPart):
                yield {"role": "developer", "content": part.content}
            else:
                others.append(part)
        async for mapped in super()._map_user_message(replace(message, parts=others)):
            yield mapped
