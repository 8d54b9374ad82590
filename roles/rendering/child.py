"""Template process: a request and its answer are JSON.

Each template is rendered in a fork, so that templates share no state.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jinja2 import ChainableUndefined, TemplateError, Undefined
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from roles.core.templates import written
from roles.processes.worker import serve

MEMORY = 256 * 1024 * 1024
"""Address space of a render, in bytes."""
OUTPUT = 1_000_000
"""Maximum output of a template, in characters."""

TOO_WIDE = f"This template wrote more than {OUTPUT:,} characters and was stopped."
TOO_DEEP = "This template calls itself too deeply and was stopped."


class TooWide(Exception):
    """The output is too long."""


def main() -> None:
    """Render one template after the other until stdin ends, each in a fork of its own."""
    _bring_in()
    serve(
        lambda request: json.dumps(_answer(json.loads(request))).encode(), memory=MEMORY, once=True
    )


def _bring_in() -> None:
    """Use everything once that Jinja and its filters import lazily: a render cannot open files."""
    filters = [f"{{{{ '<b>&amp;</b>'|{name} }}}}" for name in environment({}).filters]
    failing = ["{% if 1 %}{{ 1 / 0 }}{% endif %}", "{% if %}", "{{ 1.__class__ }}"]
    for template in (*filters, *failing):
        _answer({"template": template, "variables": {}})


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
