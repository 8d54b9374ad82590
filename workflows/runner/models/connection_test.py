"""Does a connection work? One tiny question, and a sentence about what came of it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace

from workflows.core.engine.effects import AskModel, Message
from workflows.models.endpoint import Endpoint
from workflows.runner.models.clients import close_clients
from workflows.runner.models.errors import to_fault
from workflows.runner.models.retries import RetryPolicy, ask_once

QUESTION = AskModel(
    key="",
    position="",
    state="",
    system="",
    messages=(Message(role="user", text="Say OK."),),
    parameters={"max_tokens": 200, "stream": False},
)
PATIENCE = RetryPolicy(tries=1, answer=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionTestResult:
    works: bool
    sentence: str


def try_out(reach: Endpoint) -> ConnectionTestResult:
    """Ask the connection's own model something that costs next to nothing. Blocks until it says."""
    if not reach.model:
        why = f"The connection “{reach.name}” has no model of its own to try. Give it one."
        return ConnectionTestResult(works=False, sentence=why)
    return asyncio.run(_tried(reach))


async def _tried(reach: Endpoint) -> ConnectionTestResult:
    began = time.monotonic()
    hasty = replace(reach, timeout=min(reach.timeout or PATIENCE.answer, PATIENCE.answer))
    try:
        reply = await ask_once(QUESTION, hasty, reach.model, patience=PATIENCE)
    except Exception as error:
        return ConnectionTestResult(works=False, sentence=to_fault(error, reach, reach.model).why)
    finally:
        await close_clients()
    took = time.monotonic() - began
    if reply.error:
        return ConnectionTestResult(works=False, sentence=reply.error)
    return ConnectionTestResult(
        works=True, sentence=f"{reach.model} answered after {took:.1f} seconds."
    )
