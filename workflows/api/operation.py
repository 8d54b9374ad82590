"""The description of an operation in the OpenAPI document."""

from __future__ import annotations

from functools import partial

from roles.api.operation import operation as described
from workflows.api.serializers.common import Error

operation = partial(described, error=Error)
"""See `roles.api.operation`; refusals have the body Error of this API."""
