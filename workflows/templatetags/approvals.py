"""Number of open approvals, for the header of every page."""

from __future__ import annotations

from typing import Any

from django import template

from workflows.selectors.approvals import open_count

register = template.Library()


@register.simple_tag(takes_context=True)
def open_approvals(context: dict[str, Any]) -> int:
    """Number of open approvals that the user of the page may see."""
    return open_count(context["request"].user)
