"""QuickJS for scripts: a verdict on the syntax, and runs without any access to the host."""

from __future__ import annotations

from functools import lru_cache

from workflows.core.dialects.workflow_scripts.format.meta import Meta
from workflows.core.patterns.javascript import EngineError, call

COMPILE = """(text) => {
  const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor
  try { new AsyncFunction(JSON.parse(text)); return '' }
  catch (error) { return `${error.message}\\n${error.stack ?? ''}` }
}"""
MOST_SECONDS = 2.0
MOST_MEMORY = 64 << 20


def body_of(data: bytes, meta: Meta) -> bytes:
    """The script as the body of a function: the word `export` before meta is blanked, so that lines
    and columns stay."""
    if meta.statement is None:
        return data.removeprefix(b"\xef\xbb\xbf")
    start = meta.statement.start_byte
    return (data[:start] + b"      " + data[start + 6 :]).removeprefix(b"\xef\xbb\xbf")


def syntax_problem(data: bytes, meta: Meta) -> tuple[int, str] | None:
    """The line and message of what the engine refuses to compile. Nothing is executed."""
    return _compiled(body_of(data, meta))


@lru_cache(maxsize=64)
def _compiled(body: bytes) -> tuple[int, str] | None:
    text = body.decode("utf-8", "replace")
    try:
        answer = str(call(COMPILE, text, seconds=MOST_SECONDS, memory=MOST_MEMORY, stack=1 << 20))
    except EngineError:
        return None
    if not answer:
        return None
    message, _, stack = answer.partition("\n")
    line = 1
    for part in stack.split(":"):
        if part.split(")")[0].split("\n")[0].strip().isdigit():
            line = max(1, int(part.split(")")[0].split("\n")[0]) - 2)
            break
    return line, message
