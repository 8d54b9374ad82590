"""Channels for messages about approvals, on the settings page."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from roles.request_user import request_user
from workflows.actions.notification_channels import add_channel, remove_channel
from workflows.db.integers import integer_or_zero
from workflows.errors import BadRequest
from workflows.models import NotificationChannel
from workflows.selectors.approval_deadlines import time_limit


def shown(request: HttpRequest) -> dict[str, Any]:
    """Template data of the section."""
    person = request_user(request)
    return {
        "channels": NotificationChannel.objects.filter(person=person).order_by("kind", "shown"),
        "sends_mail": bool(settings.SIGNALBOX_SMTP),
        "address_known": bool(settings.SIGNALBOX_ADDRESS),
        "approval_limit": time_limit(),
    }


@require_POST
def change_channels(request: HttpRequest) -> HttpResponse:
    """Add a channel, or remove one."""
    person, form = request_user(request), request.POST
    try:
        if gone := form.get("remove"):
            remove_channel(person, integer_or_zero(gone))
        else:
            made = add_channel(person, form.get("kind", ""), form.get("address", ""))
            messages.success(request, f"Messages about approvals go to {made.shown}.")
    except BadRequest as refused:
        messages.error(request, refused.sentence)
    return redirect(f"{reverse('settings')}#notifications")
