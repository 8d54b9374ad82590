"""Work on packs in processes of its own, with limits on time and memory.

A pack is untrusted, and some work on it can take minutes or gigabytes. `run_apart` does it in a
process that the kernel ends at its limit. Other users of the server notice nothing: the process has
a lower priority, and at most a few work at a time.
"""

from __future__ import annotations

from workflows.isolation.limits import Limits, Stopped
from workflows.isolation.pack_processes import run_apart

__all__ = ["Limits", "Stopped", "run_apart"]
