"""Declaration of a part of the server. Modules and functions are dotted names, so that a command
that does not serve imports none of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A part of the server. `urls`: the module of its addresses below /api/v1/, and `operations`
    their rows in the table of rights. `periodic`: a class without arguments; each worker makes one,
    calls its `run` every second and its `close` at the end. `facts`: a function that returns rows
    of the page of settings, each a title and HTML. `stop`: a function that is called on the
    server's loop before it stops. `asgi`: an address, a space, and the ASGI application that
    answers it instead of Django."""

    name: str
    urls: str = ""
    operations: str = ""
    periodic: str = ""
    facts: str = ""
    stop: str = ""
    asgi: str = ""
