"""The second factor of a sign-in: codes of an authenticator app, checked by django-allauth.

django-allauth has the pages and the codes. This module limits guesses with the counts of passwords
(`sign_in_attempts`), accepts each code once on all processes, and encrypts the keys of the apps.
"""

from __future__ import annotations

import time
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import perform_login
from allauth.core import context
from allauth.mfa import app_settings
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from workflows.security.encryption import DecryptionFailed, decrypt, encrypt
from workflows.security.sign_in_attempts import still_allowed

WRONG = "This code is wrong or has expired. Enter the one that the app shows now."
USED = "This code was used already. Wait for the next one."
WAIT = "Too many attempts. Wait a quarter of an hour."
OTHER_KEY = (
    "The server's secret key has changed, so no code can be checked. Ask staff to remove your "
    "second factor."
)


def finish_sign_in(request: HttpRequest, user: User, wanted: str) -> HttpResponse:
    """Sign the user in, or ask for their second factor first if they have one."""
    if request.user.is_authenticated:
        logout(request)  # the page of the second factor is for people who are not signed in
    response: HttpResponse = perform_login(
        request, user, email_verification="none", redirect_url=wanted
    )
    return response


class Accounts(DefaultAccountAdapter):
    """Users are added by staff; a sign-in needs no message."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "incorrect_password": "The present password is wrong.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def add_message(self, request: Any, level: int, *args: Any, **options: Any) -> None:
        template = args[0] if args else options.get("message_template")
        if template != "account/messages/logged_in.txt":
            super().add_message(request, level, *args, **options)


class SecondFactors(DefaultMFAAdapter):
    """Keys of authenticator apps are encrypted at rest."""

    error_messages = {**DefaultMFAAdapter.error_messages, "incorrect_code": WRONG}

    def get_totp_issuer(self) -> str:
        return f"Signalbox {context.request.get_host()}"

    def encrypt(self, text: str) -> str:
        return encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        return decrypt(encrypted_text)


class _LimitedCode:
    """Limits on the codes of a form of django-allauth."""

    user: User
    authenticator: Authenticator

    def clean_code(self) -> str:
        if not still_allowed(context.request, self.user.get_username()):
            raise ValidationError(WAIT)
        with transaction.atomic():
            # One attempt after the other: no two requests use the same code.
            list(Authenticator.objects.select_for_update().filter(user=self.user))
            try:
                code: str = super().clean_code()  # type: ignore[misc]
            except ValidationError as error:
                problem: ValidationError | None = error
            except DecryptionFailed:
                problem = ValidationError(OTHER_KEY)
            else:
                problem = self._use()
        if problem is not None:
            raise problem
        return code

    def _use(self) -> ValidationError | None:
        """Store the use, or refuse a code of an app that was used in the same period."""
        used = self.authenticator
        period = app_settings.TOTP_PERIOD
        before = used.last_used_at and used.last_used_at.timestamp() // period
        if used.type == Authenticator.Type.TOTP and before == time.time() // period:
            return ValidationError(USED)
        self.authenticator.record_usage()
        return None

    def _emit_authentication_failed(self, authenticator: Authenticator) -> None:
        super()._emit_authentication_failed(authenticator)  # type: ignore[misc]
        credentials = {"username": self.user.get_username()}
        user_login_failed.send(__name__, credentials=credentials, request=context.request)


class SignInCode(_LimitedCode, AuthenticateForm):
    """The code after the password or link."""


class ActivationCode(ActivateTOTPForm):
    """The first code of a new app. It confirms the person, so the recovery codes are shown next."""

    def clean_code(self) -> str:
        code: str = super().clean_code()
        record_authentication(context.request, self.user, "mfa", reauthenticated=True)
        return code


class ConfirmationCode(_LimitedCode, ReauthenticateForm):
    """The code before a change of the second factor."""
