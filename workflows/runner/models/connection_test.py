"""Test of a connection: one short request, and a sentence with the result."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace

from workflows.core.engine.effects import AskModel, Message
from workflows.providers.endpoint import Endpoint
from workflows.providers.model_names import SIZES, NoModel, model_of
from workflows.runner.models.clients import close_clients
from workflows.runner.models.errors import to_fault
from workflows.runner.models.retries import RetryPolicy, ask_once

QUESTION = AskModel(
    key="",
    position="",
    state="",
    system="",
    messages=(Message(role="user", text="Say OK."),),  # prose: off
    parameters={"max_tokens": 200, "stream": False},
)
TEST_POLICY = RetryPolicy(tries=1, answer=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionTestResult:
    works: bool
    sentence: str


def run_connection_test(endpoint: Endpoint) -> ConnectionTestResult:
    """Send a minimal request to the connection's default model, else to the smallest of its
    named sizes. Blocks until it is answered."""
    try:
        model = _model_to_test(endpoint)
    except NoModel:
        why = f"The connection “{endpoint.name}” has no model to test. Set one."
        return ConnectionTestResult(works=False, sentence=why)
    return asyncio.run(_test(endpoint, model))


def _model_to_test(endpoint: Endpoint) -> str:
    """Raises NoModel."""
    smallest = next((name for name in reversed(SIZES) if endpoint.names.get(name)), "")
    return model_of(endpoint, endpoint.model or smallest or SIZES[-1])


async def _test(endpoint: Endpoint, model: str) -> ConnectionTestResult:
    started = time.monotonic()
    seconds = min(endpoint.timeout or TEST_POLICY.answer, TEST_POLICY.answer)
    impatient = replace(endpoint, timeout=seconds)
    try:
        reply = await ask_once(QUESTION, impatient, model, policy=TEST_POLICY)
    except Exception as error:
        fault = to_fault(error, endpoint, model)
        return ConnectionTestResult(works=False, sentence=fault.why)
    finally:
        await close_clients()
    elapsed = time.monotonic() - started
    if reply.error:
        return ConnectionTestResult(works=False, sentence=reply.error)
    return ConnectionTestResult(
        works=True, sentence=f"{model} answered after {elapsed:.1f} seconds."
    )
