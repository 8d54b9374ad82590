"""Ways to models are made once and shared."""

from __future__ import annotations

import asyncio

import pytest

from workflows.reach import Reach
from workflows.runner.models import clients


async def test_many_questions_at_once_share_one_way(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Reach] = []
    make = clients._way

    def counted(reach: Reach) -> clients._Way:
        made.append(reach)
        return make(reach)

    monkeypatch.setattr(clients, "_way", counted)
    reach = Reach(name="Mine", kind="openai", key="k")
    models = await asyncio.gather(*(clients.model_at(reach, f"m-{n}") for n in range(50)))
    assert made == [reach]
    assert [model.model_name for model in models] == [f"m-{n}" for n in range(50)]
    assert await clients.model_at(reach, "m-1") is models[1]
    await clients.hang_up()
