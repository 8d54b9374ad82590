"""Rendering of Jinja templates in a sandbox.

`render_program` is the renderer for `roles.core.assemble.assemble`. The template runs in a process
forked for it alone: without environment, files, sockets or the database, with limits on CPU time,
memory, output and wall-clock time. Plain texts are not rendered here.
"""

from __future__ import annotations

from roles.core.jinja_syntax import LONGEST, as_jinja
from roles.core.templates import Rendered, TemplateStopped, Variables, nested
from roles.rendering.pool import POOL

__all__ = ["render_program"]


def render_program(text: str, variables: Variables) -> Rendered:
    """The template with these variables (flat: `ticket.title` → JSON value) filled in.

    Blocks for milliseconds normally, for about a second at most. Raises TemplateStopped with a
    message for the author if the template is invalid, fails or is stopped.
    """
    if len(text) > LONGEST:
        raise TemplateStopped(f"A text with {{% … %}} has at most {LONGEST:,} characters.")
    answer = POOL.ask({"template": as_jinja(text), "variables": nested(variables)})
    if "stopped" in answer:
        raise TemplateStopped(str(answer["stopped"]))
    return Rendered(text=str(answer["text"]), unknown=tuple(answer["unknown"]))
