"""Use of roles in packs, for the pages of roles."""

from __future__ import annotations

from typing import Any

from django import template

from workflows.selectors.bound_roles import states_bound

register = template.Library()
_KEPT = "states_bound"


@register.simple_tag(takes_context=True, name="bound_states")
def bound_states(context: Any, role: int) -> int:
    """Number of states that are bound to this role; computed once per page."""
    kept = context.render_context
    if _KEPT not in kept:
        kept[_KEPT] = states_bound()
    count: int = kept[_KEPT].get(role, 0)
    return count
