"""Partial output for late subscribers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from tests.live.conftest import MakeHub
from workflows.models import Run
from workflows.notifications import bus, partial_output
from workflows.notifications.partial_output import LONGEST, PartialOutput, publish_partial_output

pytestmark = pytest.mark.django_db(transaction=True)


async def deltas(frames: AsyncIterator[str], *, until: int) -> list[dict[str, Any]]:
    """The deltas that come, up to this character."""
    found: list[dict[str, Any]] = []
    async with asyncio.timeout(120):
        while not found or found[-1]["at"] + len(found[-1]["text"]) < until:
            frame = json.loads(await anext(frames))
            if frame["type"] == "delta":
                found.append(frame)
    return found


def said(frames: list[dict[str, Any]]) -> str:
    """The pieces put together; each has to begin where the last one ended."""
    text = ""
    for frame in frames:
        assert frame["at"] == len(text)
        text += frame["text"]
    return text


async def test_late_and_early_subscribers_get_the_whole_output(run: Run, make_hub: MakeHub) -> None:
    hub = make_hub()
    with publish_partial_output(run.pk, "0:1") as say:
        await say("It was ")
        async with aclosing(hub.watch(str(run.pk), 0)) as early:
            heard = await deltas(early, until=7)
            await say("a dark ")
            heard += await deltas(early, until=14)
            async with aclosing(hub.watch(str(run.pk), 0)) as late:
                assert said(await deltas(late, until=14)) == "It was a dark "
                await say("night")
                (last,) = await deltas(late, until=19)
                assert (last["at"], last["text"]) == (14, "night")
            heard += await deltas(early, until=19)
            assert said(heard) == "It was a dark night"


async def test_ended_output_is_not_sent(run: Run, make_hub: MakeHub) -> None:
    hub = make_hub()
    async with aclosing(hub.watch(str(run.pk), 0)) as early:
        with publish_partial_output(run.pk, "0:1") as say:
            reading = asyncio.create_task(deltas(early, until=4))
            await say("over")
            await reading
        with publish_partial_output(run.pk, "0:2") as say:
            await say("now")
            await deltas(early, until=3)
            async with aclosing(hub.watch(str(run.pk), 0)) as late:
                (told,) = await deltas(late, until=3)
                assert (told["key"], told["text"]) == ("0:2", "now")
    assert partial_output._outputs == {}


async def test_a_repeated_effect_restarts_its_output(run: Run, make_hub: MakeHub) -> None:
    hub = make_hub()
    async with aclosing(hub.watch(str(run.pk), 0)) as frames:
        reading = asyncio.create_task(deltas(frames, until=11))
        await asyncio.sleep(0)
        with publish_partial_output(run.pk, "0:1") as say:
            await say("first words")
            first = await reading
        with publish_partial_output(run.pk, "0:1") as say:
            await say("again")
            (again,) = await deltas(frames, until=5)
    assert (again["at"], again["text"]) == (0, "again")
    assert again["begun"] > first[0]["begun"]


def piece(text: str, at: int, begun: float = 1.0) -> bus.DeltaSent:
    return bus.DeltaSent(run="r", key="k", text=text, at=at, begun=begun)


def test_repeated_late_and_missing_pieces_are_placed_by_position() -> None:
    speech = PartialOutput(begun=1.0)
    assert speech.take(piece("Hello", 0))
    assert not speech.take(piece("ell", 1))
    assert speech.take(piece("lo you", 3))
    assert (speech.start, speech.text) == (0, "Hello you")
    assert speech.take(piece("there", 12))
    assert (speech.start, speech.text) == (12, "there")
    assert speech.take(piece("Hello you, there", 0))
    assert (speech.start, speech.text) == (0, "Hello you, there")
    assert speech.take(piece("Anew", 0, begun=2.0))
    assert not speech.take(piece("Hello you, there!", 0))
    assert speech.text == "Anew"


def test_the_end_of_a_very_long_answer_is_kept() -> None:
    speech = PartialOutput(begun=1.0)
    for at in range(0, 2 * LONGEST, 1000):
        speech.take(piece("x" * 1000, at))
    assert (speech.start, speech.end) == (LONGEST, 2 * LONGEST)
