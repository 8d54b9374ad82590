"""Template process: forks once per template and watches the fork.

It is started with an empty environment and uses its stdin and stdout, one JSON line each way. Each
template is rendered in a fork, so that templates share no state, and a warm render costs only the
fork.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NoReturn

from jinja2 import ChainableUndefined, TemplateError, Undefined
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from roles.core.templates import written

MEMORY = 256 * 1024 * 1024
"""Address space of a render, in bytes."""
CPU = 1
"""CPU time in seconds; the kernel counts whole ones."""
CLOCK = 0.7
"""Wall-clock time, in seconds."""
OUTPUT = 1_000_000
"""Maximum output of a template, in characters."""
ANSWER = 8 * 1024 * 1024
"""Maximum response in bytes: the output as JSON."""

TOO_LONG = "This template took too long and was stopped. Check its loops."
TOO_MUCH = "This template needed too much memory and was stopped."
TOO_WIDE = f"This template wrote more than {OUTPUT:,} characters and was stopped."
TOO_DEEP = "This template calls itself too deeply and was stopped."


class TooWide(Exception):
    """The output is too long."""


def main() -> None:
    """Answer one line after the other until stdin ends."""
    _bring_in()
    for line in sys.stdin.buffer:
        answer = _apart(json.loads(line))
        sys.stdout.buffer.write(answer.rstrip(b"\n") + b"\n")
        sys.stdout.buffer.flush()


def _bring_in() -> None:
    """Use everything once that Jinja and its filters import lazily: a render cannot open files."""
    filters = [f"{{{{ '<b>&amp;</b>'|{name} }}}}" for name in environment({}).filters]
    failing = ["{% if 1 %}{{ 1 / 0 }}{% endif %}", "{% if %}", "{{ 1.__class__ }}"]
    for template in (*filters, *failing):
        _answer({"template": template, "variables": {}})


def _apart(request: dict[str, Any]) -> bytes:
    """Render in a fork, and kill it when its time is up."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _become_small_and_answer(request, writing)
    os.close(writing)
    answer, in_time = _read(reading, time.monotonic() + CLOCK)
    os.close(reading)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if answer.endswith(b"\n"):
        return answer
    cut = not in_time or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU)
    return _json({"stopped": TOO_LONG if cut else TOO_MUCH})


def _read(pipe: int, until: float) -> tuple[bytes, bool]:
    """Bytes read before the pipe closes or the time is up, and False after a timeout."""
    parts = bytearray()
    while (left := until - time.monotonic()) > 0:
        if not select.select([pipe], [], [], left)[0]:
            break
        part = os.read(pipe, 1 << 16)
        if not part:
            return bytes(parts), True
        parts += part
        if len(parts) > ANSWER:
            return b"", True
    return b"", False


def _become_small_and_answer(request: dict[str, Any], writing: int) -> NoReturn:
    try:
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        # From here on no file, socket or pipe can be opened; open ones stay open.
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
        try:
            answer = _json(_answer(request))
        except MemoryError:
            answer = _json({"stopped": TOO_MUCH})
        at = 0
        while at < len(answer):
            at += os.write(writing, answer[at:])
    finally:
        os._exit(0)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        return _render(request)
    except TooWide:
        return {"stopped": TOO_WIDE}
    except RecursionError:
        return {"stopped": TOO_DEEP}
    except SecurityError as unsafe:
        return {"stopped": f"This template uses a name that templates may not use: {unsafe}"}
    except TemplateError as error:
        return {"stopped": f"Line {_line(error)}: {error.message}"}
    except MemoryError:
        raise
    except Exception as failed:
        # Any exception of a filter or operator is an error of the author's template.
        return {"stopped": f"Line {_line(failed)}: {type(failed).__name__}: {failed}"[:500]}


def _render(request: dict[str, Any]) -> dict[str, Any]:
    unknown: dict[str, None] = {}
    template = environment(unknown).from_string(request["template"])
    parts: list[str] = []
    size = 0
    variables = {
        name: Section(name, value) if isinstance(value, dict) else value
        for name, value in request["variables"].items()
    }
    for part in template.generate(variables):
        size += len(part)
        if size > OUTPUT:
            raise TooWide
        parts.append(part)
    # Escapes in a template can produce NUL and lone surrogates, which cannot be stored.
    text = "".join(parts).replace("\0", "").encode(errors="replace").decode()
    return {"text": text, "unknown": list(unknown)}


class Section(dict[str, Any]):
    """A section of the variables, with its name."""

    def __init__(self, name: str, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.name = name


def environment(unknown: dict[str, None]) -> ImmutableSandboxedEnvironment:
    """The Jinja environment of prompts; names without a value are empty and recorded in
    `unknown`."""

    class Missing(ChainableUndefined):
        """An undefined value at any depth, recorded when it is printed."""

        @property
        def _dotted(self) -> str:
            if isinstance(self._undefined_obj, Section):
                return f"{self._undefined_obj.name}.{self._undefined_name}"
            return str(self._undefined_name)

        def __getattr__(self, name: str) -> Missing:
            if name.startswith("__"):
                raise AttributeError(name)
            return Missing(name=f"{self._dotted}.{name}")

        def __getitem__(self, key: Any) -> Missing:  # type: ignore[override]
            return Missing(name=f"{self._dotted}.{key}")

        def __str__(self) -> str:
            unknown[self._dotted] = None
            return ""

    class Sandbox(ImmutableSandboxedEnvironment):
        def unsafe_undefined(self, obj: Any, attribute: str) -> Undefined:
            raise SecurityError(f"{attribute!r} of a {type(obj).__name__}")

    made = Sandbox(
        undefined=Missing,
        autoescape=False,
        keep_trailing_newline=True,
        finalize=_put_in,
        cache_size=0,
    )
    for name in ("lipsum", "cycler", "joiner"):
        made.globals.pop(name)
    return made


def _put_in(value: Any) -> Any:
    return value if isinstance(value, Undefined) else written(value)


def _line(raised: BaseException) -> int:
    """The template line that an exception came from: Jinja adds it to the traceback."""
    line = getattr(raised, "lineno", 0) or 0
    frame = raised.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == "<template>":
            line = frame.tb_lineno
        frame = frame.tb_next
    return int(line)


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"
