"""Sharing links of the pages. A server with one user shows none."""

from __future__ import annotations

from typing import Any

from django import template

from workflows.selectors.shares import several_people

register = template.Library()


@register.simple_tag(takes_context=True)
def people_to_share_with(context: dict[str, Any]) -> bool:
    """Return True if the server has several active users. Read once for each page."""
    request = context["request"]
    if not hasattr(request, "several_people"):
        request.several_people = several_people()
    return bool(request.several_people)
