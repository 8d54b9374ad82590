"""What every page's header says about approvals."""

from __future__ import annotations

from django import template

from workflows.selectors.approvals import open_count

register = template.Library()
register.simple_tag(open_count, name="open_approvals")
