"""Jinja templates, carried out where they can do no harm.

`render_program` is the renderer that callers hand to `roles.core.assemble.assemble`. The template
runs in a process forked for it alone: without environment, files, sockets or the database, with
limits on processor time, memory, output and time on the clock. A plain text never comes here.
"""

from __future__ import annotations

from roles.core.jinja_syntax import LONGEST, as_jinja
from roles.core.templates import Rendered, TemplateStopped, Variables, nested
from roles.rendering.pool import POOL

__all__ = ["render_program"]


def render_program(text: str, variables: Variables) -> Rendered:
    """The template with these variables (flat: `ticket.title` → JSON value) put in.

    Blocks for milliseconds as a rule, for about a second at worst. Raises TemplateStopped with a
    sentence for the author where the template is none, fails or is cut off.
    """
    if len(text) > LONGEST:
        raise TemplateStopped(f"A text with {{% … %}} has at most {LONGEST:,} characters.")
    answer = POOL.ask({"template": as_jinja(text), "variables": nested(variables)})
    if "stopped" in answer:
        raise TemplateStopped(str(answer["stopped"]))
    return Rendered(text=str(answer["text"]), unknown=tuple(answer["unknown"]))
