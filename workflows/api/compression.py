"""Answers of the API that are sent compressed to clients that accept gzip.

Only operations that answer with the content of a pack or a log have them. An answer with a
secret, such as a new token, is never compressed: its length could reveal the secret to a client
that can add text to the same answer. Django also adds a random number of bytes to each answer.
"""

from __future__ import annotations

from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from rest_framework.views import APIView

COMPRESSED = {"dispatch": method_decorator(gzip_page)(APIView.dispatch)}
"""Attributes of the view of such an operation."""
