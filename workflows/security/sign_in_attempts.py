"""Limits on wrong passwords, on top of django-axes, which counts them in the database.

A name is compared as cleaned by `cleaned_name`, so that spellings that sign in as the same user
share one count. The limits are per address: wrong passwords from one address never lock out a
person at another.
"""

from __future__ import annotations

import logging
import unicodedata
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.models import AccessAttempt
from django.db.models import QuerySet, Sum
from django.http import HttpRequest

from workflows.security.client_networks import network_of
from workflows.security.sign_in_limits import (
    ADDRESS_FAILURES,
    ADDRESS_WAIT,
    PAIR_FAILURES,
    PAIR_WAIT,
)

log = logging.getLogger(__name__)

LONGEST_NAME = 150


class SignInAttempts(AxesDatabaseHandler):
    """The counts of django-axes with two limits: one for name and address, one for the address."""

    def get_failures(self, request: Any, credentials: dict[str, Any] | None = None) -> int:
        """Failures of the pair, or those of the address on the scale of the pair's limit."""
        now = request.axes_attempt_time
        pair = self._pair(request, credentials).filter(attempt_time__gte=now - PAIR_WAIT)
        address = AccessAttempt.objects.filter(
            ip_address=request.axes_ip_address, attempt_time__gte=now - ADDRESS_WAIT
        )
        return max(_total(pair), _total(address) * PAIR_FAILURES // ADDRESS_FAILURES)

    def reset_user_attempts(self, request: Any, credentials: dict[str, Any] | None = None) -> int:
        """Forget the failures of the pair. Those of other names at the address stay, or a user
        could clear them by signing in."""
        removed: int = self._pair(request, credentials).delete()[0]
        return removed

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: Any = None, **kwargs: Any
    ) -> None:
        waiting = bool(getattr(request, "axes_locked_out", False))
        super().user_login_failed(sender, credentials, request, **kwargs)
        if getattr(request, "axes_locked_out", False) and not waiting:
            log.warning(
                "Too many wrong passwords for %a from %s: further attempts have to wait",
                cleaned_name(request, credentials),
                request.axes_ip_address,
            )

    def _pair(self, request: Any, credentials: dict[str, Any] | None) -> QuerySet[Any]:
        return AccessAttempt.objects.filter(
            username=cleaned_name(request, credentials), ip_address=request.axes_ip_address
        )


def forget_failures(username: str) -> int:
    """Delete the wrong passwords of a name from every address. Returns their number."""
    attempts = AccessAttempt.objects.filter(username=_cleaned(username))
    number = _total(attempts)
    attempts.delete()
    return number


def cleaned_name(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """The name of an attempt in one spelling."""
    name = (credentials or {}).get("username") or request.POST.get("username", "")
    return _cleaned(name)


def _cleaned(name: object) -> str:
    """NFKC like Django's user names, case-folded, without spaces at the ends."""
    folded = unicodedata.normalize("NFKC", str(name)).casefold()
    return unicodedata.normalize("NFKC", folded).strip()[:LONGEST_NAME]


def client_address(request: HttpRequest) -> str:
    """The address of the client. IPv6 addresses count by their /64 network, which one machine can
    use as a whole."""
    return network_of(request.META.get("REMOTE_ADDR", ""))


def still_allowed(request: HttpRequest, username: str) -> bool:
    """Check the limits again after a right password.

    Attempts that run at the same time all pass the check before the password. Each counts its
    failure before it answers, so a second check admits no more guesses than the limit.
    """
    allowed: bool = AxesProxyHandler.is_allowed(request, {"username": username})
    if not allowed:
        request.axes_locked_out = True  # type: ignore[attr-defined]
    return allowed


def _total(attempts: QuerySet[Any]) -> int:
    return attempts.aggregate(total=Sum("failures_since_start"))["total"] or 0
