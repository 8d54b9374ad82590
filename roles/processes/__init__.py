"""Processes for untrusted work, with limits of time and memory.

`Pool` is the side of the server, `worker.serve` that of a process. `workflows.isolation` works on
packs with them, `roles.rendering` on templates.
"""
