"""Rendering of Jinja templates in a sandbox.

`render_program` is the renderer for `roles.core.assemble.assemble`. The template runs in a process
forked for it alone: without environment, files, sockets or the database, with limits on processor
time, memory and output. Plain texts are not rendered here.
"""

from __future__ import annotations

import json
from typing import Any

from roles.core.jinja_syntax import LONGEST, as_jinja
from roles.core.templates import Rendered, TemplateStopped, Variables, nested
from roles.processes.pool import Ended, Pool

__all__ = ["render_program"]

SECONDS = 0.7
"""Processor time of a template."""
LARGEST = 16 * 1024 * 1024
"""Maximum request in bytes: a template and its variables."""
TOO_MUCH = "This template needed too much memory and was stopped."
STOPPED = {
    "time": "This template took too long and was stopped. Check its loops.",
    "memory": TOO_MUCH,
    "size": TOO_MUCH,
    "lost": "This template was stopped.",
    "busy": "Too many templates are being rendered right now. Try again.",
}
POOL = Pool("roles.rendering.child", size=2, patience=10.0)


def render_program(text: str, variables: Variables) -> Rendered:
    """The template with these variables (flat: `ticket.title` → JSON value) filled in.

    Blocks for milliseconds normally, for about a second at most. Raises TemplateStopped with a
    message for the author if the template is invalid, fails or is stopped.
    """
    if len(text) > LONGEST:
        raise TemplateStopped(f"A text with {{% … %}} has at most {LONGEST:,} characters.")
    answer = _ask({"template": as_jinja(text), "variables": nested(variables)})
    if "stopped" in answer:
        raise TemplateStopped(str(answer["stopped"]))
    return Rendered(text=str(answer["text"]), unknown=tuple(answer["unknown"]))


def _ask(question: dict[str, Any]) -> dict[str, Any]:
    request = json.dumps(question, default=str).encode()
    if len(request) > LARGEST:
        raise TemplateStopped("This template's variables are too large to be put in.")
    try:
        return dict(json.loads(POOL.ask(lambda _: request, SECONDS)))
    except Ended as ended:
        raise TemplateStopped(STOPPED[ended.why]) from None
