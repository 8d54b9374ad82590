"""Sign-in links and API tokens. Both are stored as hashes."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from knox.models import AbstractAuthToken


class Token(AbstractAuthToken):
    """An API token. `name` is chosen by its owner; the token itself is shown once."""

    name = models.CharField(max_length=100, blank=True)
    scopes = models.JSONField(default=list)
    """Names of `workflows.rights.scopes.SCOPES`."""
    last_used_at = models.DateTimeField(null=True)
    """To the minute; None if it was never used."""

    class Meta(AbstractAuthToken.Meta):
        abstract = False


class SignInLink(models.Model):
    """A one-time sign-in link of a user."""

    digest = models.CharField(max_length=64, primary_key=True)
    """sha256 of the token in the link, hex."""
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    expires_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    skips_second_factor = models.BooleanField(default=False)
    """True for the link of the terminal: the operator has the database anyway."""

    def __str__(self) -> str:
        return f"link for {self.user_id} until {self.expires_at}"
