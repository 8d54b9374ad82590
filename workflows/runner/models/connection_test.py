"""Does a connection work? One tiny question, and a sentence about what came of it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace

from workflows.core.engine.effects import AskModel, Message
from workflows.models.endpoint import Reach
from workflows.runner.models.clients import hang_up
from workflows.runner.models.errors import fault_of
from workflows.runner.models.retries import Patience, once

QUESTION = AskModel(
    key="",
    position="",
    state="",
    system="",
    messages=(Message(role="user", text="Say OK."),),
    parameters={"max_tokens": 200, "stream": False},
)
PATIENCE = Patience(tries=1, answer=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    works: bool
    sentence: str


def try_out(reach: Reach) -> Tried:
    """Ask the connection's own model something that costs next to nothing. Blocks until it says."""
    if not reach.model:
        why = f"The connection “{reach.name}” has no model of its own to try. Give it one."
        return Tried(works=False, sentence=why)
    return asyncio.run(_tried(reach))


async def _tried(reach: Reach) -> Tried:
    began = time.monotonic()
    hasty = replace(reach, timeout=min(reach.timeout or PATIENCE.answer, PATIENCE.answer))
    try:
        reply = await once(QUESTION, hasty, reach.model, patience=PATIENCE)
    except Exception as error:
        return Tried(works=False, sentence=fault_of(error, reach, reach.model).why)
    finally:
        await hang_up()
    took = time.monotonic() - began
    if reply.error:
        return Tried(works=False, sentence=reply.error)
    return Tried(works=True, sentence=f"{reach.model} answered after {took:.1f} seconds.")
