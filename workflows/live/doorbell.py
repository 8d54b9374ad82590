"""How to ring: `ring_run`, `ring_pack`, `ring_delta`, from any thread, after the commit.

Listeners in this process hear it at once; `relay` carries it to other processes.
"""

from workflows.doorbell import ring_delta, ring_pack, ring_run

__all__ = ["ring_delta", "ring_pack", "ring_run"]
