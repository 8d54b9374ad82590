"""Number of open approvals, for the header of every page."""

from __future__ import annotations

from django import template

from workflows.selectors.approvals import open_count

register = template.Library()
register.simple_tag(open_count, name="open_approvals")
