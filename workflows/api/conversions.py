"""Export formats of packs, and conversions to another dialect."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions.conversions import convert_pack
from workflows.api import serializers as shapes
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.selectors import packs as read
from workflows.selectors.exports import forms


@operation(shapes.ExportForm(many=True))
def packs_exports(request: Request, id: int) -> Any:
    """Formats that this pack can be exported to besides its own, each with its findings."""
    return forms(read.pack_named(id))


@operation(shapes.Converted, 422, status=201, request=shapes.ConvertTo)
def packs_convert(request: Request, id: int) -> Any:
    """Convert the pack to another dialect, as a new pack, with a conversion report."""
    params = checked(shapes.ConvertTo, request)
    pack, made = convert_pack(read.pack_named(id), params["to"], owner=request_user(request))
    return {"pack": read.cards([pack])[0], "report": made.to_json()}
